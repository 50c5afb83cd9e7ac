import type { EntityManager } from '@mikro-orm/postgresql';
import { operatorScope } from '../auth/scope.ts';
import { readConfig } from '../config.ts';
import { openDatabase } from '../database/open.ts';

/** Runs one command's work on the configured database with the operator's reach, and leaves it closed. */
export async function withDatabase<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
  const database = await openDatabase(readConfig(process.env));
  try {
    const em = database.orm.em.fork();
    em.setFilterParams('scope', { ...operatorScope });
    return await work(em);
  } finally {
    await database.close();
  }
}
