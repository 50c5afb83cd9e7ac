import type { EntityManager } from '@mikro-orm/postgresql';
import { operatorScope } from '../auth/scope.ts';

/** Runs one command's work on the configured database with the operator's scope, and leaves it closed. */
export async function withDatabase<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
  // Loaded here, since the ORM takes longer to load than --help may take.
  const [{ readConfig }, { openDatabase }] = await Promise.all([import('../config.ts'), import('../database/open.ts')]);
  const database = await openDatabase(readConfig(process.env));
  try {
    const em = database.orm.em.fork();
    em.setFilterParams('scope', { ...operatorScope });
    return await work(em);
  } finally {
    await database.close();
  }
}
