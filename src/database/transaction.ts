import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { codeOf } from './errors.ts';
import type { Query } from './query.ts';

/** Runs statements in the entity manager's transaction. */
export function queryIn(em: EntityManager): Query {
  return async <Row>(text: string, values: readonly unknown[]) => {
    const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]) as CompiledQuery<Row>);
    return rows;
  };
}

const maxAttempts = 4;
const maxDelayMs = 100;

/**
 * Retries a transaction that PostgreSQL aborted with a deadlock or a serialization failure. Only for transactions that read all
 * they depend on inside themselves, so that each attempt starts afresh.
 */
export async function retryTransaction<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error;
      // Full jitter, so that the transactions that conflicted do not conflict again.
      await sleep(Math.random() * maxDelayMs);
    }
  }
}

function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}
