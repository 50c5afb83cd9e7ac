import { readOptions } from '../support/options.ts';
import { Service } from './failover/service.ts';
import { cases } from './patroni/cases.ts';
import { Cluster } from './patroni/cluster.ts';
import { postgresProgram } from './patroni/node.ts';
import { openRoutes, type Route, routeNames, routes } from './patroni/routes.ts';
import { type Row, runCase, type Target } from './patroni/run-case.ts';
import type { Drill } from './support/harness.ts';
import { type Requirement, runIsolated } from './support/isolated.ts';
import { orderableMenu } from './support/menu.ts';

const modes = ['synchronous', 'asynchronous'] as const;

const options = readOptions(
  `Runs Patroni, etcd, HAProxy and PgBouncer with the files of deploy/patroni: three nodes in network namespaces, and for each way to the database
(--route ${routeNames.join(', ')}) two processes of Carte under load. Each --case (${Object.keys(cases).join(', ')}) is run in each --mode (${modes.join(', ')});
by default all of them. --seconds is how long the load runs before and after.`,
  { route: [], case: [], mode: [], seconds: 5 },
);

const requirements: readonly Requirement[] = [
  { program: 'patroni', package: 'patroni' },
  { program: '/usr/lib/python3/dist-packages/etcd/client.py', package: 'python3-etcd' },
  { program: 'etcd', package: 'etcd-server' },
  { program: 'etcdctl', package: 'etcd-client' },
  { program: 'openssl', package: 'openssl' },
  { program: 'haproxy', package: 'haproxy' },
  { program: 'pgbouncer', package: 'pgbouncer' },
  { program: postgresProgram, package: 'postgresql-15' },
  { program: 'ip', package: 'iproute2' },
  { program: 'setpriv', package: 'util-linux' },
];

function choose<T extends string>(option: string, given: readonly string[], known: readonly T[]): readonly T[] {
  const unknown = given.find(name => !known.some(one => one === name));
  if (unknown) throw new Error(`--${option} is "${unknown}"; it must be one of ${known.join(', ')}`);
  return given.length === 0 ? known : known.filter(name => given.includes(name));
}

const inSeconds = (ms: number) => (ms / 1_000).toFixed(1);

const columns =
  'case | mode | route | acknowledged | lost | wrong responses | other statuses | new primary after, s | then 200 after, s | slowest, s';
const printRow = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);

function print(name: string, mode: string, row: Row): void {
  const times = [row.promotedMs, row.firstMs, row.slowestMs].map(inSeconds);
  printRow([name, mode, row.route, row.acknowledged, row.lost, row.wrong, row.failures, ...times]);
}

/** Two processes of Carte for each route, and stores in which anything can be ordered. */
async function startServices(drill: Drill): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const route of choose<Route>('route', options.route, routeNames)) {
    const stores = [`${route}-0`, `${route}-1`];
    const service = await Service.start(drill, routes[route].DATABASE_URL, stores, routes[route]);
    for (const store of stores) {
      await service.send(0, `/v1/stores/${store}/menu_configuration/`, { body: JSON.stringify(orderableMenu) });
    }
    targets.push({ route, service, stores });
  }
  return targets;
}

async function runCases(drill: Drill, cluster: Cluster): Promise<void> {
  await cluster.start();
  await openRoutes(cluster, drill);
  const targets = await startServices(drill);
  printRow(columns.split(' | '));
  printRow(columns.split(' | ').map(() => '---'));
  // The keys of a literal.
  const names = choose('case', options.case, Object.keys(cases) as (keyof typeof cases)[]);
  for (const mode of choose('mode', options.mode, modes)) {
    for (const name of names) {
      const { rows, facts, problems } = await runCase(cluster, targets, cases[name], {
        ...{ isSynchronous: mode === 'synchronous', seconds: options.seconds, mark: `${name}-${mode}` },
      });
      for (const row of rows) print(name, mode, row);
      for (const fact of facts) console.log(`  ${fact}`);
      drill.violations.push(...problems.map(problem => `${name}, ${mode}: ${problem}`));
    }
  }
}

await runIsolated(requirements, async drill => {
  const cluster = Cluster.create(drill);
  try {
    await runCases(drill, cluster);
  } catch (error) {
    for (const { name, log } of cluster.nodes)
      console.error(`${name}, the end of Patroni's log:\n${log.slice(-2_000)}`);
    throw error;
  }
});
