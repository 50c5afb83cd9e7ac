import { readFileSync } from 'node:fs';
import type { EmbeddedServer } from '@carte/embedded-postgres';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migrate } from '../src/database/migrate.ts';
import { createOrm } from '../src/orm.ts';
import { readOptions } from '../support/options.ts';
import { runProgram } from '../support/program.ts';
import { createOrders, largeStore, smallStore } from './orders-data.ts';
import { type Arguments, createMeter } from './orders-meter.ts';
import { median } from './support/meter.ts';

const { parts: partCount } = readOptions(
  `Compares order lists on partitioned tables (docs/scaling-and-failover.md#partitions) with plain tables: a million orders in each of two databases on one server,
one of them partitioned by time, measured alternately.`,
  { parts: 4 },
);

const half = { createdFrom: new Date('2026-03-01T11:00:00Z'), createdUntil: new Date('2026-09-01T17:00:00Z') };
const cases: Readonly<Record<string, Arguments>> = {
  'no filter': {},
  'status, three': { filter: { statuses: ['PENDING', 'ACCEPTED', 'READY'] } },
  'half a year': { filter: half },
  'name "paul"': { filter: { customerName: 'paul' } },
  'phone, 9 digits': { filter: { customerPhoneEndsWith: '912345678' } },
  'page 90': { pageIndex: 90 },
};
const turns = 9;
const most = 1.3;

type Connection = EmbeddedServer['connection'];

async function makeDatabase(connection: Connection, database: string, prepare: (where: Connection) => Promise<void>) {
  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`create database ${database}`);
  await admin.end();
  const where = { ...connection, database };
  const makers = createOrm(where);
  await migrate(makers);
  await prepare(where);
  console.log(`Generating 1,000,000 orders, ${database} …`);
  await createOrders(makers);
  await makers.close();
  return createOrm(where, { poolSize: 1 });
}

/** The generated order ids begin with a sequence number that grows with time. */
async function split(where: Connection): Promise<void> {
  const client = new pg.Client(where);
  await client.connect();
  for (const name of ['orders']) {
    await client.query(readFileSync(new URL(`../deploy/partitions/${name}.sql`, import.meta.url), 'utf8'));
  }
  const bound = (part: number) => `order-${String(Math.round((part / partCount) * 1e6)).padStart(7, '0')}`;
  for (let part = 0; part < partCount; part++) {
    const range = `from ('${bound(part)}') to ('${part + 1 < partCount ? bound(part + 1) : 'order-9'}')`;
    await client.query(`create table orders_${part} partition of orders for values ${range}`);
  }
  await client.end();
}

interface Orms {
  readonly plain: MikroORM;
  readonly parts: MikroORM;
}

interface Costs {
  readonly plain: number;
  readonly parts: number;
}

async function measureBoth({ plain, parts }: Orms, store: string, args: Arguments): Promise<Costs> {
  return { plain: await costOf(plain, store, args), parts: await costOf(parts, store, args) };
}

async function costOf(orm: MikroORM, store: string, args: Arguments): Promise<number> {
  // Reconnects each time: the pool may have closed the connection while the other database was measured.
  const measure = await createMeter(orm);
  const { server: node, database } = await measure(store, args);
  return node + database;
}

await runProgram(async program => {
  const { connection } = await program.startDatabase({ fsync: 'off', shared_buffers: '1GB' });
  const orms = {
    plain: await makeDatabase(connection, 'plain', async () => {}),
    parts: await makeDatabase(connection, 'parts', split),
  };
  program.atEnd(() => Promise.all([orms.plain.close(), orms.parts.close()]));
  console.log(
    `\nCPU in ms for a page of 50 and its count, Node.js and PostgreSQL: plain, partitioned, ratio (goal ≤ ${most})\n`,
  );
  // V8 keeps optimising for thousands of requests, which would favour the database that is measured later.
  for (let turn = 0; turn < turns; turn++) await measureBoth(orms, smallStore, {});
  for (const store of [smallStore, largeStore]) {
    for (const [name, args] of Object.entries(cases)) {
      const costs: Costs[] = [];
      for (let turn = 0; turn < turns; turn++) costs.push(await measureBoth(orms, store, args));
      const one = median(costs.map(cost => cost.plain));
      const other = median(costs.map(cost => cost.parts));
      const ratio = other / one;
      const verdict = ratio <= most ? '' : '  over';
      const cells = [one, other, ratio].map(number => number.toFixed(2).padStart(8));
      console.log(`${store.padEnd(20)} ${name.padEnd(18)} ${cells.join(' ')}${verdict}`);
    }
  }
});
