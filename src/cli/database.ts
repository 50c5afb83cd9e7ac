import type { EntityManager } from '@mikro-orm/postgresql';
import { readConfig } from '../config.ts';
import { openDatabase } from '../database/open.ts';
import { operatorReach } from '../reach.ts';

/** Runs one command's work on the configured database with the operator's reach, and leaves it closed. */
export async function withDatabase<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
  const database = await openDatabase(readConfig(process.env));
  try {
    const em = database.orm.em.fork();
    em.setFilterParams('reach', { ...operatorReach });
    return await work(em);
  } finally {
    await database.close();
  }
}
