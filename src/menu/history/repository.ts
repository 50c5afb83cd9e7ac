import { InvalidInput } from '@carte/base/errors';
import type { ReadAccess } from '../../database/pool.ts';
import { prepared, type Query } from '../../database/query.ts';
import type { MenuChangeSource, StoreMenuHistoryArgs } from '../../generated/graph.ts';
import type { HistoryLimits } from '../../limits.ts';
import {
  conflictErrors,
  connectionErrors,
  cutPage,
  listSizes,
  type Page,
  type PageRequest,
  pageRequest,
} from '../../lists/paging.ts';
import { menuKinds } from '../kinds.ts';
import { type ChangeCounts, countByKind, summarizeCounts } from './changes.ts';
import { findConfigurationsAt, type RevisionRequest } from './configurations-at.ts';
import { type MenuHistory, oldestRetained } from './entities.ts';

/** An entry of a store's menu history; `id` is its revision with the store, for cursors. */
export interface HistoryEntry extends Pick<MenuHistory, 'revision' | 'createdAt' | 'source'> {
  readonly id: string;
  readonly storeId: string;
  readonly keyName: string | null;
  /** Null if none is retained. */
  readonly previousRevision: number | null;
  /** From menus down to modifier items; empty for the first entry if the history began later than the menu. */
  readonly counts: readonly ChangeCounts[];
}

export const summarize = ({ source, counts }: HistoryEntry): string =>
  source === 'UNKNOWN' ? 'the history begins here' : summarizeCounts(counts);

export type MenuHistoryRepository = ReturnType<typeof createMenuHistoryRepository>;

export function createMenuHistoryRepository({ em, query }: Pick<ReadAccess, 'em' | 'query'>, limits: HistoryLimits) {
  const count = async (statement: string, values: readonly unknown[]): Promise<number[]> => {
    const rows = await query<{ readonly count: number }>(statement, values);
    return rows.map(row => row.count);
  };
  return {
    /** Finds one page of the history of each store, newest first, in one statement. */
    async findPages(storeIds: readonly string[], page: HistoryRequest): Promise<Page<HistoryEntry>[]> {
      const { size, isBackward, after, before, sources } = page;
      const cursors = [after, before].map(cursor => (cursor ? revisionOf(cursor.id) : null));
      const values = [storeIds, limits.revisions, limits.days, sources, ...cursors, size + 1];
      const found = await query<PageRow>(isBackward ? backwardStatement : forwardStatement, values);
      const byStore = Map.groupBy(found, row => row.storeId);
      return storeIds.map(storeId => toPage(byStore.get(storeId) ?? [], page));
    },
    /** Finds single entries in one statement; null for one that is not retained. */
    async findEntries(requests: readonly RevisionRequest[]): Promise<(HistoryEntry | null)[]> {
      const storeIds = new Set(requests.map(({ storeId }) => storeId));
      const revisions = requests.map(({ revision }) => revision);
      const rows = await query<EntryRow>(entriesStatement, [[...storeIds], limits.revisions, limits.days, revisions]);
      const entries = new Map(rows.flatMap(toEntry).map(entry => [entry.id, entry]));
      return requests.map(({ storeId, revision }) => entries.get(cursorId(storeId, revision)) ?? null);
    },
    /** The number of revisions that are retained of each store. */
    count: (storeIds: readonly string[], sources: Sources) =>
      count(countStatement, [storeIds, limits.revisions, limits.days, sources]),
    /** The number of entities in the current configuration of each store, by which reading its past ones is charged. */
    countEntities: (storeIds: readonly string[]) => count(entitiesStatement, [storeIds]),
    findConfigurationsAt: (requests: readonly RevisionRequest[]) => findConfigurationsAt(query, em, requests, limits),
  };
}

const defaultSize = 50;

/** Null for all of them. */
type Sources = readonly MenuChangeSource[] | null;

/** A page of the revisions that were made in some ways. */
export interface HistoryRequest extends PageRequest {
  readonly sources: Sources;
}

/** Throws `InvalidInput` with every error, such as a cursor of another store. */
export function checkHistoryArguments(storeId: string, { sources, ...args }: StoreMenuHistoryArgs): HistoryRequest {
  const errors = [...connectionErrors('revision', args, listSizes), ...conflictErrors(args, { last: ['first'] })];
  if (errors.length > 0) throw new InvalidInput(errors);
  const page = pageRequest('revision', args, defaultSize);
  const foreign = (['after', 'before'] as const).filter(name => page[name] && !isOfStore(page[name].id, storeId));
  if (foreign.length === 0) return { ...page, sources: sources?.length ? sources : null };
  const message = `is not a cursor of the menu history of the store "${storeId}"`;
  throw new InvalidInput(foreign.map(name => ({ path: [name], type: 'value_error', message })));
}

const cursorId = (storeId: string, revision: number): string => `${revision} ${storeId}`;

const revisionOf = (id: string): number => Number.parseInt(id, 10);

const isOfStore = (id: string, storeId: string): boolean =>
  Number.isSafeInteger(revisionOf(id)) && id === cursorId(storeId, revisionOf(id));

type EntryRow = Omit<HistoryEntry, 'id' | 'revision' | 'counts'> & {
  readonly revision: number | null;
  readonly counts: readonly (Omit<ChangeCounts, 'kind'> & { readonly kind: string })[];
};

/** Its first row has the flags also where the page is empty, and then no revision. */
type PageRow = EntryRow & { readonly hasNewer: boolean; readonly hasOlder: boolean };

function toEntry({ revision, counts, ...row }: EntryRow): HistoryEntry[] {
  if (revision === null) return [];
  return [{ ...row, revision, id: cursorId(row.storeId, revision), counts: toCounts(counts) }];
}

function toPage(rows: readonly PageRow[], page: PageRequest): Page<HistoryEntry> {
  const entries = rows.flatMap(({ hasNewer: _newer, hasOlder: _older, ...row }) => toEntry(row));
  const [flags] = rows;
  return cutPage(entries, page, { hasPrevious: flags?.hasNewer === true, hasNext: flags?.hasOlder === true });
}

/** Sums the counts of the statements of a revision by kind. */
function toCounts(counts: EntryRow['counts']): ChangeCounts[] {
  return countByKind(({ entity: { meta } }, change) =>
    counts.reduce((total, row) => total + (row.kind === meta.tableName ? row[change] : 0), 0),
  );
}

const oldest = oldestRetained('s.id', '$2', '$3');
const stores = `(
    select s.id, s.number, ${oldest} as oldest from unnest($1::text[]) with ordinality as s(id, number)
  ) as s`;
const ofStore = `from menu_history where store_id = s.id and revision >= s.oldest`;
const selected = `${ofStore} and ($4::text[] is null or source = any($4))`;
const previousRevision = `(select max(revision) ${ofStore} and revision < h.revision) as "previousRevision"`;
const entry = `revision, min(created_at) as "createdAt", min(source) as source, min(key_name) as "keyName",
        json_agg(json_build_object('kind', kind, 'added', added, 'changed', changed, 'removed', removed)) as counts`;

/** Its parameters are store ids, the limits in revisions and days, the sources, both cursors, which are excluded, and the number of entries. */
const pageStatement = (direction: 'asc' | 'desc') =>
  prepared(`
    select s.id as "storeId", h.*, ${previousRevision},
      exists (select ${selected} and revision >= $5::bigint) as "hasNewer",
      exists (select ${selected} and revision <= $6::bigint) as "hasOlder"
    from ${stores}
    left join lateral (
      select ${entry}
      ${selected} and ($5::bigint is null or revision < $5) and ($6::bigint is null or revision > $6)
      group by revision order by revision ${direction} limit $7
    ) h on true
    order by s.number, h.revision desc`);

const forwardStatement = pageStatement('desc');
const backwardStatement = pageStatement('asc');

/** Its parameters are store ids, the limits in revisions and days, and revisions, also such as only another of the stores has. */
const entriesStatement = prepared(`
    select s.id as "storeId", h.*, ${previousRevision}
    from ${stores}
    join lateral (select ${entry} ${ofStore} and revision = any($4::bigint[]) group by revision) h on true`);

const countStatement = prepared(`
    select (select count(distinct revision)::int ${selected}) as count
    from ${stores} order by s.number`);

const counted = menuKinds.map(({ entity }) => `(select count(*) from ${entity.meta.tableName} where store_id = s.id)`);
const entitiesStatement = prepared(`
    select (${counted.join(' + ')})::int as count from unnest($1::text[]) with ordinality as s(id, number) order by s.number`);

/** The share of small changes after which the history is pruned; until then, readers ignore what is beyond the limits. */
const prunedShare = 1 / 16;
/** Larger changes are always followed by pruning. */
const smallBytes = 64 * 1024;

/** Prunes the history of a store whose row the transaction has locked, after a change by a document of this size. */
export async function pruneOccasionally(query: Query, storeId: string, limits: HistoryLimits, bytes: number) {
  if (bytes > smallBytes || Math.random() < prunedShare) await pruneHistory(query, storeId, limits);
}

/** Deletes what is beyond the limits. A state needs the changes after it, never those before it. */
export async function pruneHistory(query: Query, storeId: string, limits: HistoryLimits): Promise<void> {
  await query(statement, [storeId, limits.revisions, limits.days, limits.bytes]);
}

const statement = prepared(`
  with sizes as (
    select revision, sum(bytes) as bytes from menu_history where store_id = $1 group by revision
  ),
  within_bytes as (
    select min(revision) as revision from (
      select revision, sum(bytes) over (order by revision desc rows between unbounded preceding and 1 preceding) as newer
      from sizes
    ) summed where coalesce(newer, 0) <= $4::bigint
  ),
  oldest as (
    select greatest((select revision from within_bytes), ${oldestRetained('$1', '$2', '$3')}) as revision
  )
  delete from menu_history where store_id = $1 and revision < (select revision from oldest)`);
