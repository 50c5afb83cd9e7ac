/**
 * Compares order lists on partitioned tables (docs/scaling-and-failover.md#partitions) with plain tables: a million orders in each of two
 * databases on one server, one of them partitioned by time, measured alternately.
 *   npx node bench/partitions.ts [parts]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { startEmbedded } from '../src/database/embedded.ts';
import { migrate } from '../src/database/migrate.ts';
import { createOrm } from '../src/orm.ts';
import { createOrders, largeStore, smallStore } from './orders-data.ts';
import { type Arguments, createMeter } from './orders-meter.ts';

const half = { startTime: new Date('2026-03-01T11:00:00Z'), endTime: new Date('2026-09-01T17:00:00Z') };
const cases: Readonly<Record<string, Arguments>> = {
  'no filter': {},
  'status, three': { filter: { status: ['PENDING', 'ACCEPTED', 'READY'] } },
  'half a year': { filter: half },
  'name "paul"': { filter: { customerName: 'paul' } },
  'phone, 9 digits': { filter: { phoneNumber: '912345678' } },
  'page 90': { pageIndex: 90 },
};
const turns = 9;
const partCount = Number(process.argv[2] ?? 4);
const most = 1.3;

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

async function makeDatabase(connection: pg.ClientConfig, database: string, prepare: (orm: MikroORM) => Promise<void>) {
  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`create database ${database}`);
  await admin.end();
  const where = {
    host: String(connection.host),
    port: Number(connection.port),
    user: String(connection.user),
    database,
  };
  const makers = createOrm(where);
  await migrate(makers);
  await prepare(makers);
  console.log(`Generating 1,000,000 orders, ${database} …`);
  await createOrders(makers);
  await makers.close();
  return createOrm(where, { poolSize: 1 });
}

/** The generated order ids begin with a sequence number that grows with time. */
async function split(orm: MikroORM): Promise<void> {
  const client = new pg.Client({ ...server.connection, database: String(orm.config.get('dbName')) });
  await client.connect();
  for (const name of ['menus', 'orders']) {
    await client.query(readFileSync(new URL(`../deploy/partitions/${name}.sql`, import.meta.url), 'utf8'));
  }
  const bound = (part: number) => `order-${String(Math.round((part / partCount) * 1e6)).padStart(7, '0')}`;
  for (let part = 0; part < partCount; part++) {
    const range = `from ('${bound(part)}') to ('${part + 1 < partCount ? bound(part + 1) : 'order-9'}')`;
    await client.query(`create table orders_${part} partition of orders for values ${range}`);
  }
  await client.end();
}

interface Costs {
  readonly plain: number;
  readonly parts: number;
}

async function measureBoth(store: string, args: Arguments): Promise<Costs> {
  return { plain: await costOf(plain, store, args), parts: await costOf(parts, store, args) };
}

async function costOf(orm: MikroORM, store: string, args: Arguments): Promise<number> {
  // Reconnects each time: the pool may have closed the connection while the other database was measured.
  const measure = await createMeter(orm);
  const { server: node, database } = await measure(store, args);
  return node + database;
}

const folder = mkdtempSync(join(tmpdir(), 'carte-bench-'));
const server = await startEmbedded({ dataFolder: folder, settings: { fsync: 'off', shared_buffers: '1GB' } });
const plain = await makeDatabase(server.connection, 'plain', async () => {});
const parts = await makeDatabase(server.connection, 'parts', split);
try {
  console.log(
    `\nCPU in ms for a page of 50 and its count, Node.js and PostgreSQL: plain, partitioned, ratio (goal ≤ ${most})\n`,
  );
  // V8 keeps optimising for thousands of requests, which would favour the database that is measured later.
  for (let turn = 0; turn < turns; turn++) await measureBoth(smallStore, {});
  for (const store of [smallStore, largeStore]) {
    for (const [name, args] of Object.entries(cases)) {
      const costs: Costs[] = [];
      for (let turn = 0; turn < turns; turn++) costs.push(await measureBoth(store, args));
      const one = median(costs.map(cost => cost.plain));
      const other = median(costs.map(cost => cost.parts));
      const ratio = other / one;
      const verdict = ratio <= most ? '' : '  over';
      const cells = [one, other, ratio].map(number => number.toFixed(2).padStart(8));
      console.log(`${store.padEnd(20)} ${name.padEnd(18)} ${cells.join(' ')}${verdict}`);
    }
  }
} finally {
  await plain.close();
  await parts.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
