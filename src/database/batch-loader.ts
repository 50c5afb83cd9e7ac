import DataLoader from 'dataloader';
import { BatchSchedule } from '../scheduling/batch-schedule.ts';
import { currentRequest, runShared } from '../scheduling/current-request.ts';
import { type AccessScope, unionOf } from '../scope.ts';
import { anyOf, type EntityQuery, parameter, type Query, type QueryOptions, type Selection } from './query.ts';

/** An id and the access scope in which it is loaded. */
export interface ScopedId {
  readonly id: string;
  readonly scope: AccessScope;
}

export type BatchLoader<Entity> = DataLoader<ScopedId, Entity | null>;

/**
 * Batches loads by id across all requests of the process, since a small statement costs mostly its round trip. Reads in the union of
 * the callers' scopes and returns to each caller what is in its own. Has no cache; the loaders of a request do.
 */
export function createBatchLoader<Entity extends { readonly id: string }, Joined extends object>(
  selection: Selection<Entity, Joined>,
  query: Query,
): BatchLoader<Entity> {
  const findByIds = compileByIds(selection);
  const schedule = new BatchSchedule();
  const load = async (keys: readonly ScopedId[]): Promise<(Entity | null)[]> => {
    // PostgreSQL rejects text with NUL, so no entity has such an id.
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
    batchScheduleFn: dispatch => {
      const request = currentRequest.getStore();
      // Loads of other keys are in the batch, too.
      schedule.next(() => currentRequest.run(request, () => runShared(dispatch)));
    },
  });
}

/** The DataLoader of one request, with its cache, on top of the process's batches. */
export function scopedLoader<Entity>(batches: BatchLoader<Entity>, scope: AccessScope) {
  return new DataLoader<string, Entity | null>(ids => batches.loadMany(ids.map(id => ({ id, scope }))));
}

/** Batch sizes with a prepared statement each; larger batches pass an array, and are planned at every execution. */
const preparedSizes = [1, 2, 4, 8, 16];

function compileByIds<Entity extends object, Joined extends object>(
  selection: Selection<Entity, Joined>,
): EntityQuery<Entity> {
  const bySize = preparedSizes.map(size => ({ size, run: selection.compile(idsIn(size)) }));
  const byList = selection.compile({
    parameters: 1,
    build: qb => qb.where({ id: anyOf(1) }),
    prepare: false,
  });
  return (query, scope, ids) => {
    const sized = bySize.find(({ size }) => size >= ids.length);
    if (!sized) return byList(query, scope, [ids]);
    // Padded with a repeated id, which changes no result.
    const padding = Array.from({ length: sized.size - ids.length }, () => ids[0]);
    return sized.run(query, scope, [...ids, ...padding]);
  };
}

function idsIn(size: number): QueryOptions {
  const ids = Array.from({ length: size }, (_, index) => parameter(index + 1));
  return { parameters: size, build: qb => qb.where({ id: size === 1 ? ids[0] : { $in: ids } }) };
}
