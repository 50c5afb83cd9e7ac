import { snakeCase } from '../input/names.ts';
import { type Client, Incomparable, refusal } from './client.ts';
import type { Asked, Findings } from './findings.ts';
import { readListing } from './pages.ts';
import { alignListings, compareAnswers } from './pair.ts';
import type { ReadRoute } from './routes.ts';
import { createGate, createTurns, eachOf, type Turn } from './turns.ts';

export interface Comparison {
  readonly old: Client;
  readonly new: Client;
  readonly routes: readonly ReadRoute[];
  readonly findings: Findings;
  /** How many things of a type to take from a list. */
  readonly bounds: Readonly<Record<string, number>>;
  /** The only stores, in place of everything that the lists have. */
  readonly stores: readonly string[];
  readonly startTime: Date | undefined;
  readonly endTime: Date | undefined;
  /** How many pairs of answers are waited for at once. */
  readonly concurrency: number;
  readonly onProgress: () => void;
}

const storeType = 'Store';

/** Asks both services for everything that the routes of the contract lead to, from the lists down to single things. */
export async function compareServices(comparison: Comparison): Promise<void> {
  const { routes, stores } = comparison;
  await greet(comparison);
  const { follow, compareList } = createRun(comparison);
  if (stores.length > 0) return follow(storeType, stores);
  for (const route of routes.filter(({ of }) => of === undefined)) {
    if (route.answers !== undefined) await follow(route.answers, await compareList(route, undefined));
  }
}

/** Finds out at once, and for both, whether they can be asked at all. */
async function greet(comparison: Comparison): Promise<void> {
  const { routes, stores } = comparison;
  const inList = stores.length === 0;
  const route = routes.find(({ answers, of }) => answers === storeType && (of === undefined) === inList);
  if (!route) throw new Error('The contract has no route that reads stores');
  if (inList) await askBoth(comparison, `${route.path}?limit=1`, new Set([200]));
  for (const store of stores) {
    const statuses = await askBoth(comparison, pathOf(route, store), new Set([200, 404]));
    if (!statuses.includes(200)) throw new Incomparable(`Neither service has the store ${store}.`);
  }
}

async function askBoth({ old, new: fresh }: Comparison, path: string, good: ReadonlySet<number>): Promise<number[]> {
  const turn: Turn = { enter: async () => {}, leave: () => {} };
  const ask = async ({ side, get }: Client) => {
    const { status } = await get(path, turn);
    if (status === 403) throw new Incomparable(refusal(side, status));
    if (!good.has(status)) throw new Incomparable(`The ${side.name} service answers ${status}: GET ${side.url}${path}`);
    return status;
  };
  const answers = await Promise.allSettled([ask(old), ask(fresh)]);
  const [failure, second] = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []));
  if (second) throw new Incomparable(`${failure.message}\ncarte: ${second.message}`);
  if (failure) throw failure;
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []));
}

function createRun(comparison: Comparison) {
  const { old, new: fresh, routes, findings, concurrency, onProgress } = comparison;
  const gate = createGate(concurrency);
  const newTurn = createTurns();

  const inTurn = <T>(work: (turn: Turn) => Promise<T>): Promise<T> =>
    gate(async () => {
      const turn = newTurn();
      try {
        return await work(turn);
      } finally {
        turn.leave();
        onProgress();
      }
    });

  /** Answers whether both services have what was asked for. */
  const compareOne = (route: ReadRoute, id: string): Promise<boolean> =>
    inTurn(async turn => {
      const asked: Asked = { route: route.name, path: pathOf(route, id), id };
      const [before, after] = await Promise.all([old.get(asked.path, turn), fresh.get(asked.path, turn)]);
      findings.record(asked, report => compareAnswers(route, asked, { before, after }, report));
      return before.status === 200 && after.status === 200;
    });

  /** Answers the identifiers to go on with. */
  const compareList = (route: ReadRoute, id: string | undefined): Promise<readonly string[]> =>
    inTurn(async turn => {
      const bound = comparison.bounds[route.answers ?? ''] ?? 0;
      if (bound === 0) return [];
      const asked: Asked = { route: route.name, path: pathOf(route, id), id };
      const wanted = { path: asked.path, conditions: conditionsOf(route, comparison), bound, turn };
      const listings = await Promise.all([old, fresh].map(client => readListing(client, route, wanted)));
      const [read, readAfter] = listings;
      if (!read || !readAfter) return [];
      const { before, after, ids } = alignListings(route, read, readAfter);
      findings.record(asked, report => compareAnswers(route, asked, { before, after }, report));
      if (listings.some(({ status, complete }) => status === 200 && !complete)) findings.noteCut(asked);
      return ids;
    });

  const follow = async (type: string, ids: readonly string[]): Promise<void> => {
    const own = routes.find(({ of, answers }) => of === type && answers === type);
    const others = routes.filter(route => route.of === type && route !== own);
    await eachOf(ids, concurrency, async id => {
      if (findings.full) return;
      // What is below a thing that one service lacks is missing with it.
      if (own && !(await compareOne(own, id))) return;
      await Promise.all(
        others.map(async route => {
          if (!route.paging || route.answers === undefined) await compareOne(route, id);
          else await follow(route.answers, await compareList(route, id));
        }),
      );
    });
  };

  return { compareList, follow };
}

function pathOf({ path }: ReadRoute, id: string | undefined): string {
  return path.replace(/\{\w+\}/, encodeURIComponent(id ?? ''));
}

function conditionsOf({ parameters }: ReadRoute, { startTime, endTime }: Comparison): Record<string, string> {
  const given = Object.entries({ startTime, endTime }).map(([name, time]) => [snakeCase(name), time?.toISOString()]);
  return Object.fromEntries(given.filter(([name = '', value]) => value !== undefined && parameters.has(name)));
}
