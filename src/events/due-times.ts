import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { prepared } from '../database/query.ts';
import { currentRequest } from '../database/statements.ts';
import { queryIn } from '../database/transaction.ts';
import { lockStore } from '../menu/replace.ts';
import { restock, type StockDue } from '../menu/stock.ts';

/** A time that another process has set is noticed after so long at the latest. */
const maxDelayMs = 2_000;
/** While another transaction has locked the store of something that is due. */
const minDelayMs = 100;

/**
 * Ends what is due, until it is aborted. Every serving process does, and wakes up at the next time that it knows: the one that locks the row
 * of a store first ends what is due there, and deletes the times in the same transaction, so that nothing ends twice or is forgotten.
 */
export async function runDueTimes(
  orm: MikroORM,
  { onError }: { readonly onError: (error: unknown) => void },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let delayMs = maxDelayMs;
    try {
      // Neither counted nor traced with a request, but with the same time limit for statements.
      delayMs = await currentRequest.run({ statements: 0, trace: undefined }, () => endDue(orm.em.fork()));
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await sleep(delayMs, undefined, { ref: false, signal }).catch(() => {});
  }
}

/** Resolves to the time until the next one is due, or may have been set. */
async function endDue(em: EntityManager): Promise<number> {
  const query = queryIn(em);
  for (;;) {
    const [row] = await query<{ readonly delayMs: number | null }>(nextStatement, []);
    const delayMs = row?.delayMs ?? maxDelayMs;
    if (delayMs > 0) return Math.min(delayMs, maxDelayMs);
    if (!(await endOfOneStore(em))) return minDelayMs;
  }
}

const nextStatement = prepared(
  'select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as "delayMs" from due_time',
);

function endOfOneStore(em: EntityManager): Promise<boolean> {
  return em.transactional(async tx => {
    const query = queryIn(tx);
    const [store] = await query<{ readonly id: string }>(claimStatement, []);
    if (!store) return false;
    await lockStore(query, store.id, { source: 'STOCK_UNTIL' });
    // After the lock, so that it sees what was set while the claim waited.
    const due = await query<Due>(deleteStatement, [store.id]);
    const stock = due.filter((time): time is StockDue => time.subject !== 'ordering');
    if (stock.length < due.length) await query(openStatement, [store.id]);
    if (stock.length > 0) await restock(tx, store.id, stock);
    return true;
  });
}

type Due = StockDue | { readonly subject: 'ordering' };

const claimStatement = prepared(`
  select id from store where id in (select store_id from due_time where due_at <= now())
  limit 1 for no key update skip locked`);

const deleteStatement = prepared(
  'delete from due_time where store_id = $1 and due_at <= now() returning subject, external_id as "externalId"',
);

const openStatement = prepared('update store set ordering = null where id = $1');
