import { snakeCase } from '@carte/operations/input/names';
import { type Client, ComparisonError, keyRejected, type ServiceResponse } from './client.ts';
import { createLocks, createSemaphore, forEachConcurrent, type Lock } from './concurrency.ts';
import type { ComparedRequest, Findings } from './findings.ts';
import { alignLists, readPagedList } from './paged-lists.ts';
import type { ReadRoute } from './routes.ts';
import { difference, type LocatedDifference, within } from './values.ts';

export interface Comparison {
  readonly old: Client;
  readonly new: Client;
  readonly routes: readonly ReadRoute[];
  readonly findings: Findings;
  /** Maximum number of entities of a type to compare in each list. */
  readonly limits: Readonly<Record<string, number>>;
  /** Compares only these stores, without the lists of stores and merchants; all if empty. */
  readonly stores: readonly string[];
  readonly startTime: Date | undefined;
  readonly endTime: Date | undefined;
  /** Number of response pairs requested at once. */
  readonly concurrency: number;
  readonly onProgress: () => void;
}

const storeType = 'Store';

/** Requests every GET route of the contract from both services: first the lists, then each entity in them. */
export async function compareServices(comparison: Comparison): Promise<void> {
  const { routes, stores } = comparison;
  await checkServices(comparison);
  const { compareEntities, compareList, compareOne } = createRun(comparison);
  if (stores.length > 0) return compareEntities(storeType, stores);
  for (const route of routes.filter(({ idType }) => idType === undefined)) {
    if (route.entityType !== undefined) await compareEntities(route.entityType, await compareList(route, undefined));
    else await compareOne(route, undefined);
  }
}

/** Fails early if a service is unreachable, rejects its key, or if no service has a requested store. */
async function checkServices(comparison: Comparison): Promise<void> {
  const { routes, stores } = comparison;
  const needsList = stores.length === 0;
  const route = routes.find(
    ({ entityType, idType }) => entityType === storeType && (idType === undefined) === needsList,
  );
  if (!route) throw new Error('The contract has no route that reads stores');
  if (needsList) await probe(comparison, `${route.path}?limit=1`, new Set([200]));
  for (const store of stores) {
    const statuses = await probe(comparison, pathOf(route, store), new Set([200, 404]));
    if (!statuses.includes(200)) throw new ComparisonError(`Neither service has the store ${store}.`);
  }
}

/** Requests a path from both services and returns their statuses; reports the errors of both. */
async function probe(comparison: Comparison, path: string, expected: ReadonlySet<number>): Promise<number[]> {
  const request = async ({ service, get }: Client) => {
    const { status } = await get(path);
    if (status === 403) throw keyRejected(service, status);
    if (!expected.has(status)) {
      throw new ComparisonError(`The ${service.name} service responds with ${status}: GET ${service.url}${path}`);
    }
    return status;
  };
  const results = await Promise.allSettled([request(comparison.old), request(comparison.new)]);
  const [error, second] = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
  if (second) throw new ComparisonError(`${error.message}\ncarte: ${second.message}`);
  if (error) throw error;
  return results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
}

function createRun(comparison: Comparison) {
  const { old: oldClient, new: newClient, routes, findings, concurrency, onProgress } = comparison;
  const limitConcurrency = createSemaphore(concurrency);
  const createLock = createLocks();

  const withLock = <T>(task: (lock: Lock) => Promise<T>): Promise<T> =>
    limitConcurrency(async () => {
      const lock = createLock();
      try {
        return await task(lock);
      } finally {
        lock.release();
        onProgress();
      }
    });

  /** Returns whether both services have the entity. */
  const compareOne = (route: ReadRoute, id: string | undefined): Promise<boolean> =>
    withLock(async lock => {
      const request: ComparedRequest = { route: route.name, path: pathOf(route, id), id };
      const [before, after] = await Promise.all([oldClient.get(request.path, lock), newClient.get(request.path, lock)]);
      findings.record(request, compareResponses(route, request, before, after));
      return before.status === 200 && after.status === 200;
    });

  /** Returns the ids of the entities to compare one by one. */
  const compareList = (route: ReadRoute, id: string | undefined): Promise<readonly string[]> =>
    withLock(async lock => {
      const limit = comparison.limits[route.entityType ?? ''] ?? 0;
      if (limit === 0) return [];
      const request: ComparedRequest = { route: route.name, path: pathOf(route, id), id };
      const listRequest = { path: request.path, filters: timeFilters(route, comparison), limit, lock };
      const [oldList, newList] = await Promise.all([
        readPagedList(oldClient, route, listRequest),
        readPagedList(newClient, route, listRequest),
      ]);
      const { before, after, ids } = alignLists(route, oldList, newList);
      findings.record(request, compareResponses(route, request, before, after));
      if ([oldList, newList].some(({ status, complete }) => status === 200 && !complete)) findings.recordCut(request);
      return ids;
    });

  const compareEntities = async (type: string, ids: readonly string[]): Promise<void> => {
    const entityRoute = routes.find(({ idType, entityType }) => idType === type && entityType === type);
    const nestedRoutes = routes.filter(route => route.idType === type && route !== entityRoute);
    await forEachConcurrent(ids, concurrency, async id => {
      if (findings.full) return;
      // The nested routes of an entity that one service lacks would only repeat the difference.
      if (entityRoute && !(await compareOne(entityRoute, id))) return;
      await Promise.all(
        nestedRoutes.map(async route => {
          if (!route.paging || route.entityType === undefined) await compareOne(route, id);
          else await compareEntities(route.entityType, await compareList(route, id));
        }),
      );
    });
  };

  return { compareList, compareEntities, compareOne };
}

/** The differences of two responses to the same request. */
function compareResponses(
  { entityType, idType, bodyType, compare }: ReadRoute,
  { path, id }: ComparedRequest,
  before: ServiceResponse,
  after: ServiceResponse,
): Iterable<LocatedDifference> {
  const response = { type: bodyType, id: path, local: false };
  const statuses = new Set([before.status, after.status]);
  if (before.status === 200 && after.status === 200) return within(response, compare(before.body, after.body));
  const isEntity = entityType !== undefined && entityType === idType;
  if (isEntity && id !== undefined && statuses.has(200) && statuses.has(404)) {
    const [oldId, newId] = [before, after].map(({ status }) => (status === 200 ? id : undefined));
    return within({ type: entityType, id, local: false }, [difference('missing', oldId, newId)]);
  }
  if (before.status === 404 && after.status === 404) return [];
  return within(response, [difference('status', before.status, after.status)]);
}

function pathOf({ path }: ReadRoute, id: string | undefined): string {
  return path.replace(/\{\w+\}/, encodeURIComponent(id ?? ''));
}

/** Query parameters for the period, as far as the route has them. */
function timeFilters({ parameters }: ReadRoute, { startTime, endTime }: Comparison): Record<string, string> {
  const filters = Object.entries({ startTime, endTime }).map(([name, time]) => [snakeCase(name), time?.toISOString()]);
  return Object.fromEntries(filters.filter(([name = '', value]) => value !== undefined && parameters.has(name)));
}
