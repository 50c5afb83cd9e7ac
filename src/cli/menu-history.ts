import { Conflict, OperatorError } from '@carte/base/errors';
import { runAtOnce } from '@carte/base/time-slice';
import { toSnakeValue } from '@carte/operations/input/names';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Config, readConfig } from '../config.ts';
import { queryIn } from '../database/query.ts';
import { menuDocumentType } from '../import/documents.ts';
import { createFormatter, dateAndTime } from '../menu/availability.ts';
import type { Configuration } from '../menu/configuration.ts';
import { compareConfigurations, type MenuChanges, summarizeChanges } from '../menu/history/changes.ts';
import { findConfigurationAt } from '../menu/history/configurations-at.ts';
import { createDescriber } from '../menu/history/describe.ts';
import { checkHistoryArguments, createMenuHistoryRepository, summarize } from '../menu/history/repository.ts';
import { entityKinds } from '../menu/kinds.ts';
import { inputOf, restoreMenuConfiguration } from '../menu/restore.ts';
import { validateConfiguration } from '../menu/validate.ts';
import { currencyOf } from '../store/currency.ts';
import { type Store, StoreEntity } from '../store/entities.ts';
import { withDatabase } from './database.ts';
import { formatChanges, toJson } from './menu-diff.ts';
import { formatMenu } from './menu-show.ts';
import { printable, table, terminal } from './terminal.ts';

interface Options {
  readonly json?: boolean;
  readonly revision?: number;
}

const printJson = (value: unknown) => terminal.out(JSON.stringify(value, null, 2));

export function printHistory(storeId: string, { limit, json }: Options & { readonly limit: number }): Promise<void> {
  return withStoreMenu(storeId, async ({ store, findHistory }) => {
    const entries = await findHistory(limit);
    const summaries = entries.map(entry => ({ ...entry, summary: summarize(entry) }));
    if (json) {
      return printJson(
        summaries.map(({ id: _id, storeId: _storeId, counts, ...entry }) => ({
          ...entry,
          changes: counts.map(count => ({ ...count, kind: entityKinds[count.kind] })),
        })),
      );
    }
    if (entries.length === 0) return terminal.err(`The store ${storeId} has no menu yet.`);
    // E.g. `Sat 2026-03-07 18:30:05`.
    const times = createFormatter(store.timezone ?? 'UTC', { weekday: 'short', ...dateAndTime }, 'en-CA');
    const rows = summaries.map(({ revision, createdAt, source, keyName, summary }) => {
      const time = times.format(createdAt).replaceAll(',', '');
      return [String(revision), time, source, printable(keyName ?? '–'), summary];
    });
    const { timeZone } = times.resolvedOptions();
    terminal.out(table([['REVISION', `TIME (${timeZone})`, 'SOURCE', 'KEY', 'CHANGES'], ...rows]));
  });
}

export function printMenu(storeId: string, { revision, json }: Options): Promise<void> {
  return withStoreMenu(storeId, async ({ store, em, findConfiguration }) => {
    const configuration = await findConfiguration(revision);
    if (json) return printJson({ revision: configuration.revision, ...inputOf(em, configuration) });
    const text = formatMenu(configuration, currencyOf(store));
    if (text === '') terminal.err('The menu is empty.');
    else terminal.out(text);
  });
}

export function exportMenu(storeId: string, { revision }: Options): Promise<void> {
  return withStoreMenu(storeId, async ({ em, findConfiguration }) => {
    const input = inputOf(em, await findConfiguration(revision));
    printJson(toSnakeValue(menuDocumentType(), input));
  });
}

type DiffOptions = Options & { readonly from?: number | undefined; readonly to?: number | undefined };

export function printDiff(storeId: string, { from, to, json }: DiffOptions): Promise<void> {
  return withStoreMenu(storeId, async ({ store, findHistory, findConfiguration }) => {
    const [newest, previous] = await findHistory(2);
    const earlier = from ?? previous?.revision;
    if (!newest) throw new OperatorError(`The store ${storeId} has no menu yet.`);
    if (earlier === undefined)
      throw new OperatorError(`The menu has only one revision, ${newest.revision}: there is none to compare it with.`);
    const later = to ?? newest.revision;
    if (earlier > later)
      throw new OperatorError(`Revision ${earlier} is later than ${later}; put the earlier one first.`);
    const before = await findConfiguration(earlier);
    const after = await findConfiguration(later);
    const changes = runAtOnce(compareConfigurations(before, after));
    if (json) return printJson({ from: earlier, to: later, ...toJson(changes) });
    terminal.err(`${summaryOf(changes)}, from revision ${earlier} to ${later}.`);
    printChanges(changes, [before, after], store);
  });
}

function printChanges(changes: MenuChanges, [before, after]: readonly [Configuration, Configuration], store: Store) {
  if (changes.entities.length === 0) return;
  const describer = createDescriber({ before, after, currency: currencyOf(store), formatText: printable });
  terminal.out(formatChanges(changes, describer));
}

function summaryOf(changes: MenuChanges): string {
  const summary = summarizeChanges(changes);
  return summary.charAt(0).toUpperCase() + summary.slice(1);
}

export function restoreMenu(
  storeId: string,
  { revision, dryRun = false }: { readonly revision: number; readonly dryRun?: boolean },
): Promise<void> {
  return withStoreMenu(storeId, async ({ store, em, config, findConfiguration }) => {
    const after = await findConfiguration(revision);
    const before = await findConfiguration();
    const changes = withoutPreparationType(runAtOnce(compareConfigurations(before, after)));
    printChanges(changes, [before, after], store);
    if (dryRun) {
      runAtOnce(validateConfiguration(inputOf(em, after), config.menuLimits, { isStored: true }));
      return terminal.err(`Dry run: ${summarizeChanges(changes)}. Nothing was written.`);
    }
    const restored = await restoreMenuConfiguration(em, store, {
      revision,
      // What was printed is what is done.
      expectedMenuRevision: before.revision,
      limits: config.menuLimits,
      history: config.historyLimits,
    }).catch(error => {
      if (!(error instanceof Conflict)) throw error;
      throw new OperatorError(`The menu was changed at the same time: ${error.message} Nothing was restored.`);
    });
    if (!restored) throw new OperatorError(`The store ${storeId} was deleted.`);
    const now = restored.revision === before.revision ? 'stays' : 'is now';
    terminal.err(`${summaryOf(changes)}. The menu of ${storeId} ${now} at revision ${restored.revision}.`);
  });
}

/** Leaves out what the operator sets: it is kept, as in a replacement. */
function withoutPreparationType(changes: MenuChanges): MenuChanges {
  const entities = changes.entities
    .map(entity => {
      const fields = entity.fields.filter(({ field }) => entity.change !== 'CHANGED' || field !== 'preparationType');
      return { ...entity, fields };
    })
    .filter(({ change, fields, placements }) => change !== 'CHANGED' || fields.length + placements.length > 0);
  return { ...changes, entities };
}

/** Opens the database, runs a task with the menu of a store and its history, and closes it. */
function withStoreMenu(storeId: string, task: (menu: StoreMenu) => Promise<void>): Promise<void> {
  return withDatabase(async em => task(await openMenu(em, storeId, readConfig(process.env))));
}

type StoreMenu = Awaited<ReturnType<typeof openMenu>>;

async function openMenu(em: EntityManager, storeId: string, config: Config) {
  const store: Store | null = await em.findOne(StoreEntity, { id: storeId });
  if (!store) throw new OperatorError(`There is no store "${storeId}"${await suggestion(em, storeId)}`);
  const query = queryIn(em);

  /** Returns the newest revisions. */
  async function findHistory(limit: number) {
    const page = checkHistoryArguments(storeId, { first: limit });
    const [found] = await createMenuHistoryRepository({ em, query }, config.historyLimits).findPages([storeId], page);
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
