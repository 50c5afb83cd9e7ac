import { readFileSync } from 'node:fs';
import pg from 'pg';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Ranges of ids, by first characters: the ids of tests know no time, and would otherwise all lie in one part. */
export const testRanges = ['48', '8c', 'cg'];

/** Splits the menu tables as version 0.1.0 did. */
export async function splitMenus(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(read('partitioned-menus.sql'));
  await client.end();
}

/** Splits the orders of a database as docs/scaling-and-failover.md has it, with the quarters of 2026, and its menu tables. */
export async function splitTables(connection: pg.ClientConfig, ranges: readonly string[] = []): Promise<void> {
  await splitMenus(connection);
  await splitOrders(connection, ranges);
}

/** Splits the orders alone. */
export async function splitOrders(connection: pg.ClientConfig, ranges: readonly string[] = []): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(read('../../deploy/partitions/orders.sql'));
  await client.query("select add_order_parts('2026-01-01', 4)");
  for (const [from, to] of ranges) {
    await client.query(`create table orders_${from} partition of orders for values from ('${from}') to ('${to}')`);
  }
  await client.end();
}
