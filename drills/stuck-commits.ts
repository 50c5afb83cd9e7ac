import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PostgresNode } from '../support/failover/postgres.ts';
import { readOptions } from '../support/options.ts';
import type { Program } from '../support/program.ts';
import { carte, createKey, importDocuments } from '../support/servers.ts';
import { runDrill } from './support/harness.ts';
import { checkOrders, createTenants, OrderLoad } from './support/order-load.ts';

const options = readOptions(
  `Has commits hang while the tenants of 24 stores read and write through one process, and checks that reads go on, that few sessions are left behind
on the server, and what became of the changes that were answered with an error. Case "standby": the synchronous standby is stopped. Case "row": a session
that is idle in its transaction, after "set constraints all immediate", holds the row of one store. --only runs one of them.`,
  { seconds: 300, pool: 10, only: '' },
);
const stores = 24;
const pauseMs = 100;
/** For what the monitor, events and webhooks use, and for a session whose end was not noticed yet. */
const besidePool = 5;

interface Cluster {
  readonly primary: PostgresNode;
  readonly standby: PostgresNode;
}

interface Case {
  /** Makes commits hang; the function returned lets them go on. */
  harm(cluster: Cluster): Promise<() => Promise<unknown>>;
  /** Whether changes of a store are to be answered with an error meanwhile. */
  isStuck(storeId: string): boolean;
  /** Whether some of those may be committed later. */
  readonly mayCommitLater: boolean;
}

const cases: Readonly<Record<string, Case>> = {
  standby: {
    async harm({ standby }) {
      await standby.stop();
      return () => standby.start();
    },
    isStuck: () => true,
    mayCommitLater: true,
  },
  row: {
    async harm({ primary }) {
      const client = new pg.Client({ connectionString: primary.url, application_name: 'drill' });
      await client.connect();
      await client.query('begin');
      await client.query(`update store set external_id = 'held' where id = 's0'`);
      await client.query('set constraints all immediate');
      return () => client.end();
    },
    isStuck: storeId => storeId === 's0',
    mayCommitLater: false,
  },
};

/** Notes the most sessions of the service on the server, and abandoned ones, until it is stopped. */
function watchSessions(primary: PostgresNode, url: string) {
  const most = { sessions: 0, abandoned: 0 };
  let isOver = false;
  const abandonedNow = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^carte_database_abandoned_sessions (\d+)$/m.exec(text)?.[1]);
  };
  const watch = async () => {
    const client = new pg.Client({ connectionString: primary.url, application_name: 'drill' });
    await client.connect();
    for (; !isOver; await sleep(250)) {
      const { rows } = await client.query(
        `select count(*)::int as count from pg_stat_activity where backend_type = 'client backend' and application_name <> 'drill'`,
      );
      most.sessions = Math.max(most.sessions, rows[0].count);
      most.abandoned = Math.max(most.abandoned, await abandonedNow());
    }
    await client.end();
  };
  const watching = watch();
  return {
    most,
    abandonedNow,
    stop() {
      isOver = true;
      return watching;
    },
  };
}

async function startCluster(part: Program): Promise<Cluster> {
  const primary = await PostgresNode.create(part.folder, 'a');
  part.atEnd(() => primary.stop());
  const standby = await primary.clone(part.folder, 'b');
  part.atEnd(() => standby.stop());
  await standby.start();
  await primary.stop();
  await primary.start({ synchronous_standby_names: 'b' });
  return { primary, standby };
}

async function startTenants(part: Program, databaseUrl: string) {
  const env = {
    ...{ DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: String(options.pool), PORT: '0', CARTE_LOG_LEVEL: 'silent' },
    // On a busy machine the process would shed load instead of being observed.
    CARTE_MAX_DELAY_MS: '60000',
  };
  await carte(['migrate'], env);
  const ids = Array.from({ length: stores }, (_, index) => `s${index}`);
  await importDocuments(
    'stores',
    ids.map(id => ({ id, name: {} })),
    env,
  );
  const key = await createKey(env, '--can', 'menu,orders,stock,admin');
  const { url } = await part.startServer(env);
  return { url, tenants: await createTenants(url, key, ids) };
}

async function run(part: Program, { harm, isStuck, mayCommitLater }: Case): Promise<string[]> {
  const cluster = await startCluster(part);
  const { url, tenants } = await startTenants(part, cluster.primary.url);
  const load = new OrderLoad(() => [url], tenants, { pauseMs });
  // Each tenant has orders that can be accepted then.
  await sleep(3_000);
  const watch = watchSessions(cluster.primary, url);
  const harmedAt = performance.now();
  const release = await harm(cluster);
  const stuckAt = performance.now();
  await sleep(options.seconds * 1_000);
  const releasedAt = performance.now();
  await release();
  while ((await watch.abandonedNow()) > 0) await sleep(100);
  await sleep(3_000);
  await load.stop();
  await watch.stop();
  const inbox = async () => (await cluster.primary.query('select from event_inbox limit 1')).length;
  while ((await inbox()) > 0) await sleep(100);

  const { violations, committedLater, events } = await checkOrders(sql => cluster.primary.query(sql), load.writes);
  const during = load.writes.filter(({ begun, ended }) => begun > stuckAt && ended < releasedAt);
  const writes = Object.groupBy(during, ({ outcome }) => outcome);
  const storeOf = (name: string) => name.split('-')[0] ?? '';
  const wrong = during.filter(({ name, outcome }) => isStuck(storeOf(name)) === (outcome === 'acknowledged'));
  const failedReads = load.reads.filter(({ status }) => status !== 200);
  const failed = load.writes.filter(({ outcome }) => outcome !== 'acknowledged');
  const healthy = failed.filter(({ begun, ended }) => ended < harmedAt || begun > releasedAt + 10_000);
  console.log(
    `  reads: ${load.reads.length - failedReads.length} × 200, ${failedReads.length} others, slowest ${Math.max(...load.reads.map(({ begun, ended }) => ended - begun)).toFixed(0)} ms`,
  );
  console.log(
    `  writes meanwhile: ${writes.acknowledged?.length ?? 0} acknowledged, ${writes.refused?.length ?? 0} refused at once, ${writes.unknown?.length ?? 0} given up; ` +
      `${committedLater.length} of all that failed were committed later`,
  );
  console.log(
    `  sessions: at most ${watch.most.sessions}, of them abandoned ${watch.most.abandoned}; ${events} events`,
  );
  return [
    ...load.violations,
    ...violations,
    ...wrong.map(({ name, kind, outcome }) => `${kind} ${name} was ${outcome}`),
    ...healthy.map(({ name, kind, outcome }) => `${kind} ${name} was ${outcome}, though nothing was stuck`),
    ...failedReads.map(({ storeId, status }) => `a read of ${storeId}: ${status}`),
    ...(watch.most.sessions > options.pool + besidePool ? [`${watch.most.sessions} sessions`] : []),
    ...(mayCommitLater ? [] : committedLater.map(({ name, kind }) => `${kind} ${name} failed and was committed`)),
  ];
}

await runDrill(async ({ runPart, violations }) => {
  for (const [name, each] of Object.entries(cases)) {
    if (options.only !== '' && options.only !== name) continue;
    console.log(`${name}, ${options.seconds} s:`);
    violations.push(...(await runPart(part => run(part, each))).map(violation => `${name}: ${violation}`));
  }
});
