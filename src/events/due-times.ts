import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { prepared, queryIn } from '../database/query.ts';
import { restock, type StockDue } from '../menu/field-changes.ts';
import { lockStore } from '../menu/replace.ts';
import { runAsWorker } from '../scheduling/current-request.ts';

/** A time that another process has set is noticed after so long at the latest. */
const maxDelayMs = 2_000;
/** While another transaction has locked the store of something that is due. */
const minDelayMs = 100;
/** Stores that are ended before the process looks again. */
const maxStores = 1_000;

/**
 * Ends what is due, until it is aborted. Every serving process does, and wakes up at the next time that it knows: the one that locks the row
 * of a store first ends what is due there, and deletes the times in the same transaction, so that nothing ends twice or is forgotten.
 */
export async function runDueTimes(
  orm: MikroORM,
  onError: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let delayMs = maxDelayMs;
    try {
      delayMs = await runAsWorker(() => endDue(orm.em.fork()));
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await sleep(delayMs, undefined, { ref: false, signal }).catch(() => {});
  }
}

/** Resolves to the time until the next one is due, or may have been set. */
async function endDue(em: EntityManager): Promise<number> {
  const query = queryIn(em);
  const [row] = await query<{ readonly delayMs: number | null }>(nextStatement, []);
  const delayMs = row?.delayMs ?? maxDelayMs;
  if (delayMs > 0) return Math.min(delayMs, maxDelayMs);
  const stores = await query<{ readonly storeId: string }>(storesStatement, []);
  const outcomes: PromiseSettledResult<void>[] = [];
  for (const { storeId } of stores) outcomes.push(...(await Promise.allSettled([endOfStore(em, storeId)])));
  // A store that fails does not keep the others waiting.
  const failed = outcomes.find(outcome => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return minDelayMs;
}

const nextStatement = prepared(
  'select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as "delayMs" from due_time',
);

/** In an order of its own for each process, so that they meet rarely. */
const storesStatement = prepared(`
  select store_id as "storeId" from (select distinct store_id from due_time where due_at <= now()) due
  order by random() limit ${maxStores}`);

function endOfStore(em: EntityManager, storeId: string): Promise<void> {
  return em.transactional(async tx => {
    const query = queryIn(tx);
    const [claimed] = await query(claimStatement, [storeId]);
    if (!claimed) return;
    await lockStore(query, storeId, { source: 'STOCK_UNTIL' });
    // After the lock, so that it sees what the transaction before has set or ended.
    const due = await query<Due>(deleteStatement, [storeId]);
    const stock = due.filter((time): time is StockDue => time.subject !== 'ordering');
    if (stock.length < due.length) await query(openStatement, [storeId]);
    if (stock.length > 0) await restock(tx, storeId, stock);
  });
}

type Due = StockDue | { readonly subject: 'ordering' };

/** Leaves out a store on which another transaction works: it is tried again. */
const claimStatement = prepared('select id from store where id = $1 for no key update skip locked');

const deleteStatement = prepared(
  'delete from due_time where store_id = $1 and due_at <= now() returning subject, external_id as "externalId"',
);

const openStatement = prepared('update store set ordering = null where id = $1');
