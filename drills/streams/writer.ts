import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { insertOrder } from '../../support/orders.ts';

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
