import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../failover/service.ts';
import type { Case } from './cases.ts';
import { type Cluster, until } from './cluster.ts';
import { Load } from './load.ts';
import type { Route } from './routes.ts';
import { readTail, type Tail } from './tail.ts';
import { Watch } from './watch.ts';

/** A service, and the stores that its load uses. */
export interface Target {
  readonly route: Route;
  readonly service: Service;
  readonly stores: readonly string[];
}

export interface Row {
  readonly route: Route;
  readonly acknowledged: number;
  readonly lost: number;
  readonly wrong: number;
  readonly failures: string;
  /** From the harm until a server takes writes again, from then until the first acknowledged order, and the slowest request. */
  readonly promotedMs: number;
  readonly firstMs: number;
  readonly slowestMs: number;
}

export interface CaseResult {
  readonly rows: readonly Row[];
  readonly facts: readonly string[];
  readonly problems: readonly string[];
}

interface RunOptions {
  readonly isSynchronous: boolean;
  /** How long the load runs before and after. */
  readonly seconds: number;
  /** Unlike that of any other run on this cluster. */
  readonly mark: string;
}

const requestLimitMs = 40_000;

/** Runs a case under the load of all services at once. */
export async function runCase(
  cluster: Cluster,
  targets: readonly Target[],
  { settings, harm, restore, mayFork }: Case,
  { isSynchronous, seconds, mark }: RunOptions,
): Promise<CaseResult> {
  await cluster.configure(settings ?? { failsafe_mode: true });
  await cluster.setSynchronous(isSynchronous);
  const leader = await cluster.untilWhole();
  const timeline = (await leader.state())?.timeline ?? 0;
  const watch = new Watch(cluster);
  const loads = targets.map(({ route, service, stores }) => new Load(service, stores, `${mark}-${route}`));
  await sleep(seconds * 1_000);
  const harmed = performance.now();
  await harm(cluster, leader);
  const promoted = performance.now();
  await until('orders by every route', async () => loads.every(load => load.firstWriteAfter(promoted)));
  await sleep(seconds * 1_000);
  const tail = mayFork ? await readTail(cluster, leader, timeline) : undefined;
  const logged = leader.log.length;
  restore?.(leader);
  await cluster.untilWhole();
  const returned = performance.now();
  await sleep(seconds * 1_000);
  await Promise.all(loads.map(load => load.stop()));
  await watch.stop();

  const saved = await savedOrders(cluster);
  const rows = targets.map(({ route }, at): Row & { readonly problems: readonly string[] } => {
    const load = loads[at];
    if (!load) throw new Error(`There is no load by ${route}`);
    const lost = new Set([...load.acknowledged.keys()].filter(id => !saved.ids.has(id)));
    const wrong = [...load.problems, ...load.findWrongLists(lost)];
    const first = load.firstWriteAfter(promoted) ?? Number.POSITIVE_INFINITY;
    return {
      ...{ route, acknowledged: load.acknowledged.size, lost: lost.size, wrong: wrong.length },
      ...{ failures: load.failures, slowestMs: load.slowestMs },
      ...{ promotedMs: promoted - harmed, firstMs: first - promoted },
      problems: [...wrong, ...checkLost(load, lost, tail, isSynchronous), ...checkSlowest(load)].map(
        problem => `${route}: ${problem}`,
      ),
    };
  });
  const lostOfKept = [...(tail?.kept ?? [])].filter(id => !saved.ids.has(id));
  return {
    rows,
    facts: [
      ...(tail ? [`the old leader had committed ${tail.orders.size} orders that the new one lacks`] : []),
      ...(restore
        ? [`it came back ${wayBack(leader.log.slice(logged))} after ${((returned - promoted) / 1_000).toFixed(0)} s`]
        : []),
    ],
    problems: [
      ...watch.problems,
      ...rows.flatMap(row => row.problems),
      ...saved.repeated.map(name => `the order ${name} was placed twice`),
      ...lostOfKept.map(id => `the order ${id} is lost, though it is older than the promotion`),
    ],
  };
}

async function savedOrders(cluster: Cluster) {
  const rows = await until('the orders of the leader', async () => {
    const leader = await cluster.untilWhole();
    return leader.query('select id, customer_name as name from orders', 'carte').catch(() => undefined);
  });
  const names = Map.groupBy(rows, ({ name }) => String(name));
  return {
    ids: new Set(rows.map(({ id }) => String(id))),
    repeated: [...names].filter(([, all]) => all.length > 1).map(([name]) => name),
  };
}

/** Synchronous replication loses nothing that was acknowledged; asynchronous replication loses the tail, and nothing else. */
function checkLost(load: Load, lost: ReadonlySet<string>, tail: Tail | undefined, isSynchronous: boolean): string[] {
  const problems = [...load.acknowledged.keys()]
    .filter(id => lost.has(id) !== (tail?.orders.has(id) ?? false))
    .map(id => (lost.has(id) ? `${id} is lost, and not of the tail` : `${id} is there, and of the tail`));
  if (isSynchronous && lost.size > 0) problems.push(`${lost.size} acknowledged orders are lost`);
  return problems;
}

const checkSlowest = ({ slowestMs }: Load): string[] =>
  slowestMs > requestLimitMs ? [`a request took ${(slowestMs / 1_000).toFixed(1)} s`] : [];

function wayBack(log: string): string {
  if (/running pg_rewind/.test(log)) return 'by pg_rewind';
  return /bootstrap from leader/.test(log) ? 'as a new copy' : 'by following the new one';
}
