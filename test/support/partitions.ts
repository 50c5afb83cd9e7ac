import { readFileSync } from 'node:fs';
import pg from 'pg';

const read = (name: string) => readFileSync(new URL(`../../deploy/partitions/${name}.sql`, import.meta.url), 'utf8');

/** Ranges of ids, by first characters: the ids of tests know no time, and would otherwise all lie in one part. */
export const testRanges = ['48', '8c', 'cg'];

/** Splits the tables of a database as docs/scaling-and-failover.md has it, with the quarters of 2026. */
export async function splitTables(connection: pg.ClientConfig, ranges: readonly string[] = []): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  for (const name of ['menus', 'orders']) await client.query(read(name));
  await client.query("select add_order_parts('2026-01-01', 4)");
  for (const [from, to] of ranges) {
    await client.query(`create table orders_${from} partition of orders for values from ('${from}') to ('${to}')`);
  }
  await client.end();
}
