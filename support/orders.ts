import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export const insertOrder = `
  insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
  values ($1, $2, now(), 'PENDING', 'Ana', '1', 1200, 120, '[]', now(), false, false)`;

/** Creates stores and returns their ids. */
export async function createStores(client: pg.Client, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `stream-${index}`);
  await client.query(`insert into store (id, name) select id, '{}' from unnest($1::text[]) id on conflict do nothing`, [
    ids,
  ]);
  return ids;
}

/** Places and changes orders, some in long transactions, until it is stopped; goes on after a failure. */
export function startWriter(connection: pg.ClientConfig, storeIds: readonly string[]) {
  let isStopped = false;
  let failures = 0;
  async function writeUntilFailure(): Promise<void> {
    const client = new pg.Client(connection);
    client.on('error', () => {});
    try {
      await client.connect();
      while (!isStopped) {
        const storeId = storeIds[Math.floor(Math.random() * storeIds.length)];
        const id = randomUUID();
        await client.query('begin');
        await client.query(insertOrder, [id, storeId]);
        await sleep(Math.random() * 20);
        if (Math.random() < 0.5) await client.query(`update orders set status = 'ACCEPTED' where id = $1`, [id]);
        await client.query(Math.random() < 0.9 ? 'commit' : 'rollback');
        await sleep(Math.random() * 10);
      }
    } finally {
      await client.end().catch(() => {});
    }
  }
  async function run(): Promise<void> {
    while (!isStopped) {
      await writeUntilFailure().catch(() => {
        failures += 1;
      });
      await sleep(50);
    }
  }
  const running = run();
  return {
    async stop(): Promise<number> {
      isStopped = true;
      await running;
      return failures;
    },
  };
}
