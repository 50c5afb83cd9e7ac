import { OperatorError } from '@carte/base/errors';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Config, readConfig } from '../config.ts';
import { queryIn } from '../database/query.ts';
import type { Configuration } from '../menu/configuration.ts';
import { findConfigurationAt } from '../menu/history/configurations-at.ts';
import { checkHistoryArguments, createMenuHistoryRepository, type HistoryEntry } from '../menu/history/repository.ts';
import { type Store, StoreEntity } from '../store/entities.ts';
import { withDatabase } from './database.ts';

/** Opens the database, runs a task with the menu of a store and its history, and closes it. */
export function withStoreMenu<T>(
  storeId: string,
  task: (menu: Awaited<ReturnType<typeof openMenu>>) => Promise<T>,
): Promise<T> {
  return withDatabase(async em => task(await openMenu(em, storeId, readConfig(process.env))));
}

async function openMenu(em: EntityManager, storeId: string, config: Config) {
  const store: Store | null = await em.findOne(StoreEntity, { id: storeId });
  if (!store) throw new OperatorError(`There is no store "${storeId}"${await suggestion(em, storeId)}`);
  const query = queryIn(em);

  /** Returns the newest revisions. */
  async function findHistory(limit: number): Promise<readonly HistoryEntry[]> {
    const page = checkHistoryArguments(storeId, { first: limit });
    const history = createMenuHistoryRepository({ em, query }, config.historyLimits);
    const [found] = await history.findPages([storeId], page);
    return found?.nodes ?? [];
  }

  /** Returns the configuration at a revision, or the current one. */
  async function findConfiguration(revision?: number): Promise<Configuration> {
    const current = revision ?? (await findHistory(1))[0]?.revision;
    if (current === undefined) throw new OperatorError(`The store ${storeId} has no menu yet.`);
    const found = await findConfigurationAt(query, em, { storeId, revision: current }, config.historyLimits);
    if (!found) throw new OperatorError(`The store ${storeId} was deleted.`);
    return found;
  }

  return { store, em, config, findHistory, findConfiguration };
}

/** Suggests stores whose id is similar, or whose external id was given. */
async function suggestion(em: EntityManager, storeId: string): Promise<string> {
  const rows = await queryIn(em)<{ readonly id: string }>(
    `select id from store where external_id = $1 or similarity(id, $1) > 0.3
    order by external_id is distinct from $1, similarity(id, $1) desc limit 3`,
    [storeId],
  );
  return rows.length > 0 ? `; did you mean ${rows.map(({ id }) => id).join(' or ')}?` : '.';
}
