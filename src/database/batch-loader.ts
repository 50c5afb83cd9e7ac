import DataLoader from 'dataloader';
import { type AccessScope, unionOf } from '../auth/scope.ts';
import { anyOf, type EntityQuery, parameter, type QueryOptions, type Selection } from './entity-query.ts';
import type { Query } from './query.ts';
import { currentWork } from './statements.ts';

/** What one request loads on behalf of its caller. */
export interface ScopedId {
  readonly id: string;
  readonly scope: AccessScope;
}

export type BatchLoader<Entity> = DataLoader<ScopedId, Entity | null>;

/**
 * Loads entities by id for all requests of the process: most of what a small statement costs is the way to the database and
 * back. It reads in the union of the callers' scopes and gives each caller what is in its own. It caches nothing; the loaders
 * of a request do.
 */
export function createBatchLoader<Entity extends { readonly id: string }, Joined extends object>(
  selection: Selection<Entity, Joined>,
  query: Query,
): BatchLoader<Entity> {
  const findByIds = compileByIds(selection);
  const schedule = new BatchSchedule();
  const load = async (keys: readonly ScopedId[]): Promise<(Entity | null)[]> => {
    // PostgreSQL refuses texts with NUL, so nothing has such an id.
    const ids = [...new Set(keys.map(({ id }) => id).filter(id => !id.includes('\0')))];
    const scope = unionOf([...new Set(keys.map(key => key.scope))]);
    const found = ids.length > 0 ? await findByIds(query, scope, ids) : [];
    const byId = new Map(found.map(entity => [entity.id, entity]));
    return keys.map(key => {
      const entity = byId.get(key.id);
      return entity && selection.isInScope(key.scope, entity) ? entity : null;
    });
  };
  return new DataLoader(keys => schedule.run(() => load(keys)), {
    cache: false,
    batchScheduleFn: dispatch => schedule.next(dispatch),
  });
}

/** The loader of one request, with its cache. */
export function scopedLoader<Entity>(batches: BatchLoader<Entity>, scope: AccessScope) {
  return new DataLoader<string, Entity | null>(ids => batches.loadMany(ids.map(id => ({ id, scope }))));
}

/** Each of these numbers of ids has a statement that is planned once; more come as a list, which is planned anew. */
const sizes = [1, 2, 4, 8, 16];

function compileByIds<Entity extends object, Joined extends object>(
  selection: Selection<Entity, Joined>,
): EntityQuery<Entity> {
  const bySize = sizes.map(size => ({ size, run: selection.compile(idsIn(size)) }));
  const byList = selection.compile({
    parameters: 1,
    build: qb => qb.where({ id: anyOf(1) }),
    isPlannedAnew: true,
  });
  return (query, scope, ids) => {
    const sized = bySize.find(({ size }) => size >= ids.length);
    if (!sized) return byList(query, scope, [ids]);
    // Repeating an id changes nothing.
    const padding = Array.from({ length: sized.size - ids.length }, () => ids[0]);
    return sized.run(query, scope, [...ids, ...padding]);
  };
}

function idsIn(size: number): QueryOptions {
  const ids = Array.from({ length: size }, (_, at) => parameter(at + 1));
  return { parameters: size, build: qb => qb.where({ id: size === 1 ? ids[0] : { $in: ids } }) };
}

/** How long to wait for a batch that is running, in milliseconds: most take less, and one that hangs delays nobody for long. */
const longestWait = 10;

/**
 * Dispatches a batch once all events of this turn of the event loop have been handled or, while another is running, when that
 * one ends: no batch starts before its loads, so none returns less than a statement of its own would have.
 */
class BatchSchedule {
  #next: (() => void) | undefined;
  #running = 0;

  next(dispatch: () => void): void {
    // The statement belongs to the log and trace of the request that came first.
    const work = currentWork.getStore();
    const start = () => {
      if (this.#next !== start) return;
      this.#next = undefined;
      clearTimeout(timer);
      currentWork.run(work, dispatch);
    };
    this.#next = start;
    const timer = this.#running > 0 ? setTimeout(start, longestWait) : undefined;
    if (!timer) setImmediate(start);
  }

  async run<T>(batch: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await batch();
    } finally {
      this.#running -= 1;
      this.#next?.();
    }
  }
}
