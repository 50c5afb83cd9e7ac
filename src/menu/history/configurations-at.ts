import { InvalidInput } from '@carte/base/errors';
import { parseJson } from '@carte/base/json';
import { runInSlices, type Steps, TimeSlice } from '@carte/base/time-slice';
import type { EntityManager } from '@mikro-orm/postgresql';
import { parseJsonList } from '../../database/json-list.ts';
import { compileOnce, prepared, type Query } from '../../database/query.ts';
import type { HistoryLimits } from '../../limits.ts';
import { type Configuration, type ConfigurationRows, linkConfiguration } from '../configuration.ts';
import { menuKinds, tableOf } from '../kinds.ts';
import { oldestRetained } from './entities.ts';

export type RevisionRequest = Pick<Configuration, 'storeId' | 'revision'>;

/**
 * Reads past configurations; the results are in the order of the requests, null if the store is gone. There is one statement for each store, and so one snapshot: the changes
 * of one store are forgotten before those of the next are read.
 */
export async function findConfigurationsAt(
  query: Query,
  em: EntityManager,
  requests: readonly RevisionRequest[],
  limits: HistoryLimits,
): Promise<(Configuration | InvalidInput | null)[]> {
  const found = new Map<string, ReadonlyMap<number, Configuration | InvalidInput>>();
  for (const [storeId, ofStore] of Map.groupBy(requests, request => request.storeId)) {
    const requested = [...new Set(ofStore.map(({ revision }) => revision))].sort((a, b) => b - a);
    found.set(storeId, await findOfStore(query, em, { storeId, requested, limits }));
  }
  return requests.map(({ storeId, revision }) => found.get(storeId)?.get(revision) ?? null);
}

/** The same for one revision; throws `InvalidInput` if the history does not have it. Null if the store is gone. */
export async function findConfigurationAt(
  query: Query,
  em: EntityManager,
  request: RevisionRequest,
  limits: HistoryLimits,
): Promise<Configuration | null> {
  const [found = null] = await findConfigurationsAt(query, em, [request], limits);
  if (found instanceof InvalidInput) throw found;
  return found;
}

/**
 * What the statement returns: the revisions of the store (`kind` and `revision` are null), the current rows of each table (`revision` is null), and
 * the changes since the oldest requested revision, newest first. Nothing if the store is gone.
 */
interface HistoryRow {
  readonly revision: number | null;
  readonly kind: string | null;
  readonly rows: string | null;
  readonly positions: string | null;
  readonly inserted: readonly number[] | null;
}

interface KnownRevisions {
  readonly current: number;
  /** The oldest that is retained. */
  readonly oldest: number | null;
  /** Those of the requested revisions that the history has. */
  readonly known: readonly number[];
  /** Those of the requested revisions that are between deleted ones, or were one of them. */
  readonly between: readonly number[];
}

/** A row of a menu table as JSON, by column. */
type TableRow = Readonly<Record<string, unknown>> & { readonly id: number; readonly position: number };

/** The rows of each table by id, which `undo` takes back by one change. */
type Tables = ReadonlyMap<string, Map<number, TableRow>>;

interface StoreRequest {
  readonly storeId: string;
  /** Distinct revisions, newest first. */
  readonly requested: readonly number[];
  readonly limits: HistoryLimits;
}

async function findOfStore(
  query: Query,
  em: EntityManager,
  { storeId, requested, limits }: StoreRequest,
): Promise<ReadonlyMap<number, Configuration | InvalidInput>> {
  const found = new Map<number, Configuration | InvalidInput>();
  const rows = await query<HistoryRow>(selectStatement(em), [storeId, requested, limits.revisions, limits.days]);
  const revisionsRow = rows.find(row => row.kind === null && row.revision === null);
  if (!revisionsRow) return found;
  const revisions = parseJson(revisionsRow.rows ?? '') as KnownRevisions;
  const current = rows.filter(row => row.kind !== null && row.revision === null);
  /** Oldest first, so that each is dropped when it has been taken back: together they take up to `HistoryLimits.bytes`. */
  const changes = rows.filter(row => row.kind !== null && row.revision !== null).reverse();
  rows.length = 0;
  const slice = new TimeSlice();
  const run = <Result>(steps: Steps<Result>) => runInSlices(steps, slice);
  const tables = await run(readTables(current));
  for (const revision of requested) {
    if (revision !== revisions.current && !isRetained(revision, revisions)) {
      found.set(revision, unknownRevision(revision, revisions));
      continue;
    }
    while (Number(changes.at(-1)?.revision) > revision) await run(undo(tables, changes.pop() as HistoryRow));
    const ofRevision = await run(configurationRows(em, tables));
    found.set(revision, await run(linkConfiguration(storeId, revision, ofRevision, { isPast: true })));
  }
  return found;
}

const isRetained = (revision: number, { oldest, known }: KnownRevisions): boolean =>
  oldest !== null && revision >= oldest && known.includes(revision);

function* readTables(current: HistoryRow[]): Steps<Tables> {
  const tables = new Map<string, Map<number, TableRow>>();
  for (let row = current.pop(); row; row = current.pop()) {
    const table = new Map<number, TableRow>();
    tables.set(String(row.kind), table);
    for (const entity of yield* parseRows(row)) {
      table.set(entity.id, entity);
      yield;
    }
  }
  return tables;
}

function* undo(tables: Tables, change: HistoryRow): Steps<void> {
  const table = tables.get(String(change.kind));
  if (!table) throw new Error(`The menu history has changes to an unknown table ${change.kind}`);
  for (const id of change.inserted ?? []) table.delete(Number(id));
  for (const row of yield* parseRows(change)) {
    table.set(row.id, row);
    yield;
  }
  const positions = change.positions === null ? [] : (parseJson(change.positions) as readonly [number, number][]);
  for (const [id, position] of positions) {
    const row = table.get(id);
    if (row) table.set(id, { ...row, position });
    yield;
  }
}

function* parseRows({ rows }: HistoryRow): Steps<readonly TableRow[]> {
  return rows === null ? [] : ((yield* parseJsonList(rows)) as readonly TableRow[]);
}

function* configurationRows(em: EntityManager, tables: Tables): Steps<ConfigurationRows> {
  const lists: [string, unknown][] = [];
  for (const kind of menuKinds) {
    const { tableName, columns } = tableOf(em, kind);
    const rows = [...(tables.get(tableName)?.values() ?? [])].sort((a, b) => a.position - b.position);
    const properties = columns.filter(({ property }) => property !== 'position');
    const entities: object[] = [];
    for (const row of rows) {
      const entity: Record<string, unknown> = { numericId: row.id, externalId: row.external_id };
      for (const { name, property } of properties) entity[property] = row[name] ?? null;
      entities.push(entity);
      yield;
    }
    lists.push([kind.name, entities]);
  }
  return Object.fromEntries(lists) as Record<keyof ConfigurationRows, never>;
}

/** Numbers of deleted revisions are not stored, so one between the first and the last of them may have existed. */
function unknownRevision(revision: number, { current, oldest, known, between }: KnownRevisions): InvalidInput {
  const isPruned = known.includes(revision) || between.includes(revision);
  const message = isPruned
    ? `the history of this menu no longer has revision ${revision}; the oldest is ${oldest}`
    : `this menu has no revision ${revision}; the current one is ${current}`;
  return new InvalidInput([{ path: ['revision'], type: isPruned ? 'revision_pruned' : 'revision_not_found', message }]);
}

/**
 * Its parameters are the store and the revisions requested, and the limits of the history in revisions and days. A restoration runs it with the
 * planner settings of `lockStore`, so there is no join that could become a scan of the whole history.
 */
const selectStatement = compileOnce(em => {
  const tables = menuKinds.map(kind => tableOf(em, kind).tableName);
  const current = tables.map(
    table => `
      select null, '${table}', (select json_agg(t) from ${table} t where t.store_id = $1)::text, null, null, null`,
  );
  return prepared(`
    select revision::float8 as revision, kind, rows, positions, inserted from (
      select null::bigint as revision, null as kind, json_build_object(
        'current', s.menu_revision,
        'oldest', ${oldestRetained('s.id', '$3', '$4')},
        'known', array(
          select r.revision from unnest($2::bigint[]) as r(revision)
          where exists (select from menu_history h where h.store_id = s.id and h.revision = r.revision)
        ),
        'between', array(
          select r.revision from unnest($2::bigint[]) as r(revision)
          where r.revision >= (select b.revision from menu_history_start b where b.store_id = s.id)
            and r.revision < (select min(h.revision) from menu_history h where h.store_id = s.id)
        )
      )::text as rows, null as positions, null::bigint[] as inserted, null::bigint as id
      from store s where s.id = $1
      union all ${current.join(' union all ')}
      union all
      select revision, kind, old_rows::text, old_positions::text, inserted_ids, id
      from menu_history where store_id = $1 and revision > (select min(r.revision) from unnest($2::bigint[]) as r(revision))
    ) as found
    order by found.revision desc nulls first, id desc`);
});
