import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { cpuSeconds } from '../support/cpu.ts';
import { crawl } from '../support/edge-crawl.ts';
import { freePort } from '../support/failover/postgres.ts';
import { readOptions } from '../support/options.ts';
import { carte, createKey, importDocuments, type Server, stopServer } from '../support/servers.ts';
import { createVarnish, hasVarnish } from '../support/varnish.ts';
import { runDrill } from './support/harness.ts';
import { configuration } from './support/menu.ts';
import { joinPostgres } from './support/postgres.ts';

const { reads, changes, stores, guests, cpu } = readOptions(
  `Reads menus through a Varnish with deploy/edge/varnish.vcl while prices and stock change: the service renders each revision once, and no guest sees a menu
that is older than a confirmed purge, also while Varnish, the service and the database are killed, nor one that is older than its lifetime without purges. Then
crawls routes and queries with all kinds of keys. With --cpu it only compares the CPU time of reads.`,
  { reads: 10_000, changes: 200, stores: 20, guests: 8, cpu: false },
);
const storeIds = Array.from({ length: stores }, (_, index) => `store-${index}`);
const menuQuery =
  'query Menu($id: ID!) { store(id: $id) { menuRevision menus { categories { items { externalId price { amount } inStock } } } } }';

if (!hasVarnish()) {
  console.error('There is no varnishd, or it lacks modules: apt-get install varnish varnish-modules');
  process.exit(2);
}

await runDrill(async ({ atEnd, folder, startServer, violations }) => {
  const postgres = await joinPostgres(folder);
  atEnd(() => postgres.leave());
  const [varnishPort, port] = [await freePort(), await freePort()];
  const varnish = await createVarnish(varnishPort);
  atEnd(() => varnish.close());
  const env = {
    CARTE_DATA: folder,
    CARTE_DEMO: 'off',
    CARTE_MAX_DELAY_MS: '60000',
    CARTE_OPERATIONS: fileURLToPath(new URL('../examples/operations', import.meta.url)),
    PORT: String(port),
    CARTE_LOG_LEVEL: 'silent',
    CARTE_PUBLISHABLE_RATE_LIMIT: '0',
    CARTE_ADDRESS_RATE_LIMIT: '0',
    CARTE_TRUST_PROXY: '127.0.0.1/32',
    CARTE_EDGE_SECONDS: '3600',
  };
  const purging = {
    CARTE_EDGE_PURGE: 'varnish',
    CARTE_EDGE_PURGE_URLS: varnish.url,
    CARTE_EDGE_PURGE_SECRET: varnish.secret,
  };
  await importDocuments(
    'stores',
    storeIds.map(id => ({ id, name: {} })),
    env,
  );
  const admin = await createKey(env, '--write');
  const key = await carte(['key', 'create', '--name', 'guests', '--all', '--publishable'], env);
  let server = await startServer({ ...env, ...purging });
  for (const id of storeIds) {
    const body = JSON.stringify(configuration(id, 40));
    const headers = { 'x-api-key': admin, 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/v1/stores/${id}/menu_configuration/`, {
      method: 'POST',
      headers,
      body,
    });
    if (!response.ok) throw new Error(await response.text());
  }
  if (cpu) return compareCpu(server, admin, key);
  await varnish.start(port);

  /** Over a connection of its own, since the database is killed. */
  async function query<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const client = new pg.Client({ ...postgres.connection, database: 'carte' });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(text, [...values])).rows as Row[];
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Committed revisions, and those whose purge Varnish has confirmed. */
  const committed = new Map<string, { revision: number; at: number }[]>();
  const confirmed = new Map<string, number>();
  let [made, failedChanges] = [0, 0];

  async function change(count: number): Promise<void> {
    const storeId = storeIds[count % stores] ?? '';
    const isPrice = count % 2 === 0;
    const input = isPrice
      ? { storeId, items: [{ externalId: 'i1', price: 1_000 + count }] }
      : { storeId, items: [{ externalId: 'i2', inStock: Math.floor(count / stores) % 2 === 1 }] };
    const text = isPrice
      ? 'mutation ($input: ChangePricesInput!) { change: changePrices(input: $input) { store { menuRevision } } }'
      : 'mutation ($input: SetStockInput!) { change: setStock(input: $input) { store { menuRevision } } }';
    const headers = { 'x-api-key': admin, 'content-type': 'application/json' };
    const body = JSON.stringify({ query: text, variables: { input } });
    const signal = AbortSignal.timeout(20_000);
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers, body, signal });
    const { data, errors } = (await response.json()) as {
      data?: { change: { store: { menuRevision: number } } };
      errors?: object;
    };
    if (!data?.change) throw new Error(JSON.stringify(errors));
    committed.set(storeId, [
      ...(committed.get(storeId) ?? []),
      { revision: data.change.store.menuRevision, at: performance.now() },
    ]);
    made += 1;
  }

  /** Marks revisions as confirmed, which events up to the position of the cache have. */
  async function watchPurges(): Promise<void> {
    const rows = await query<{ store_id: string; revision: string }>(
      `select e.store_id, max(e.menu_revision) as revision from event e
       where e.position <= (select position from edge_cache where url = $1) and e.menu_revision is not null group by 1`,
      [varnish.url],
    );
    for (const { store_id, revision } of rows) confirmed.set(store_id, Number(revision));
  }

  let [ok, failedReads, hits] = [0, 0, 0];
  async function read(storeId: string, floor: () => number | undefined, what: string): Promise<void> {
    const least = floor();
    const parameters = new URLSearchParams({ query: menuQuery, variables: JSON.stringify({ id: storeId }), key });
    try {
      const response = await fetch(`${varnish.url}/graphql?${parameters}`, { signal: AbortSignal.timeout(20_000) });
      const { data } = (await response.json()) as { data?: { store: { menuRevision: number } } };
      if (!data?.store) throw new Error(`status ${response.status}`);
      ok += 1;
      if (response.headers.get('x-cache') === 'hit') hits += 1;
      if (least !== undefined && data.store.menuRevision < least)
        violations.push(`${storeId}: a menu older than ${what}`);
    } catch {
      failedReads += 1;
      await sleep(50);
    }
  }

  /** Guests read until all changes are made, and at least so often. */
  async function readWhile(
    isOver: () => boolean,
    least: number,
    floorOf: (storeId: string) => () => number | undefined,
    what: string,
  ) {
    let sent = 0;
    const guest = async () => {
      while (sent < least || !isOver()) {
        const storeId = storeIds[sent++ % stores] ?? '';
        await read(storeId, floorOf(storeId), what);
      }
    };
    await Promise.all(Array.from({ length: guests }, guest));
  }

  /** Changes that fail are made once the service is back. */
  async function makeChanges(count: number, pauseMs: number): Promise<void> {
    for (let done = 0; done < count; ) {
      try {
        await change(made);
        done += 1;
        await sleep(pauseMs);
      } catch {
        failedChanges += 1;
        await sleep(100);
      }
    }
  }

  /** Runs guests beside changes, and watches the purges. */
  async function runPhase(
    least: number,
    work: () => Promise<void>,
    floorOf: (storeId: string) => () => number | undefined,
    what: string,
  ) {
    let isOver = false;
    const watch = async () => {
      while (!isOver) {
        await watchPurges().catch(() => {});
        await sleep(5);
      }
    };
    const working = work().finally(() => {
      isOver = true;
    });
    await Promise.all([working, watch(), readWhile(() => isOver, least, floorOf, what)]);
  }

  const floorOfPurges = (storeId: string) => () => confirmed.get(storeId);
  /** After a while every store has its last revision at the edge, so that no purge was lost. */
  async function expectCurrent(when: string): Promise<void> {
    const startedAt = performance.now();
    const isDone = async () => {
      await watchPurges().catch(() => {});
      return storeIds.every(id => (confirmed.get(id) ?? 0) >= (committed.get(id)?.at(-1)?.revision ?? 0));
    };
    while (!(await isDone())) {
      if (performance.now() - startedAt > 60_000) {
        const missing = storeIds.filter(id => (confirmed.get(id) ?? 0) < (committed.get(id)?.at(-1)?.revision ?? 0));
        violations.push(`${when}: the purges of ${missing} are not confirmed after a minute`);
        break;
      }
      await sleep(50);
    }
    for (const id of storeIds) await read(id, () => committed.get(id)?.at(-1)?.revision, `the last change, ${when}`);
    console.log(
      `  all purges confirmed ${((performance.now() - startedAt) / 1_000).toFixed(1)} s after the last change`,
    );
  }

  const metric = async (name: string) => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return [...text.matchAll(new RegExp(`^${name} ([\\d.]+)`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  };
  const renderings = () => metric('carte_response_cache_lookups_total\\{outcome="miss"\\}');
  const requests = () => metric('carte_publishable_requests_total\\{status="\\d+"\\}');

  // 1. Nothing fails.
  await expectCurrent('at first');
  const before = { renderings: await renderings(), requests: await requests() };
  const readsBefore = ok;
  await runPhase(reads, () => makeChanges(changes, 100), floorOfPurges, 'a confirmed purge');
  await expectCurrent('without failures');
  const rendered = (await renderings()) - before.renderings;
  console.log(
    `${ok - readsBefore} reads, ${hits} of them hits, ${made} changes: ${rendered} renderings, ${(await requests()) - before.requests} requests to the service`,
  );
  if (failedReads + failedChanges > 0) violations.push(`${failedReads} reads and ${failedChanges} changes failed`);
  if (rendered > made) violations.push(`${rendered} renderings of ${made} revisions`);

  // 2. Varnish, the service and the database are killed.
  const kills = async () => {
    const restart = async () => {
      server.child.kill('SIGKILL');
      server = await startServer({ ...env, ...purging });
    };
    for (const kill of [
      async () => {
        await varnish.kill();
        await sleep(500);
        await varnish.start(port);
      },
      restart,
      () => postgres.stopImmediately(),
      restart,
    ]) {
      const changing = makeChanges(15, 50);
      await sleep(300);
      await kill();
      await changing;
    }
  };
  const beforeKills = { made, failedReads };
  await runPhase(1_000, kills, floorOfPurges, 'a confirmed purge, beside kills');
  await expectCurrent('after kills');
  console.log(
    `${made - beforeKills.made} changes beside 4 kills, ${failedChanges} failed, as did ${failedReads - beforeKills.failedReads} reads`,
  );

  // 3. Without purges, the lifetime bounds the age.
  await stopServer(server);
  server = await startServer({ ...env, CARTE_EDGE_SECONDS: '2', CARTE_EDGE_STALE_SECONDS: '1' });
  await varnish.kill();
  await varnish.start(port);
  /** What Varnish may need for a response that was under way, and half a second for the clock of the drill. */
  const lifetimeMs = 3_500;
  const floorOfTime = (storeId: string) => {
    const oldest = performance.now() - lifetimeMs;
    const known = committed.get(storeId)?.filter(({ at }) => at < oldest);
    return () => known?.at(-1)?.revision;
  };
  hits = 0;
  await runPhase(1_000, () => makeChanges(60, 200), floorOfTime, 'its lifetime');
  console.log(`${hits} hits without purges`);

  // 4. Every kind of key.
  await stopServer(server);
  server = await startServer({ ...env, ...purging });
  const publishable = {
    guests: key,
    'of one page': await carte(
      ['key', 'create', '--name', 'page', '--all', '--publishable', '--origin', 'https://a.example'],
      env,
    ),
    'of a store': await carte(['key', 'create', '--name', 'a', '--store', 'store-0', '--publishable'], env),
    'of another store': await carte(['key', 'create', '--name', 'b', '--store', 'store-1', '--publishable'], env),
  };
  const secret = { admin, 'of a store': await carte(['key', 'create', '--name', 'c', '--store', 'store-0'], env) };
  const paths: string[] = [];
  for (const set of ['v1', 'pos', 'operations']) {
    const document = await (await fetch(`${server.url}/openapi/${set}.json`)).json();
    paths.push(...Object.keys((document as { paths: object }).paths));
  }
  const queries = [
    menuQuery,
    'query ($id: ID!) { store(id: $id) { name { text } address { city } specialHours { date } } }',
    'query ($id: ID!) { store(id: $id) { ordering { state } menus(availableAt: "2026-03-01T12:00:00Z") { id } } }',
    'query ($id: ID!) { store(id: $id) { merchant { id } } }',
    'query ($id: ID!) { store(id: $id) { orders { totalCount } } }',
    '{ stores { nodes { id } } }',
    '{ viewer { id } }',
    '{ __schema { queryType { name } } }',
    '{ a',
  ];
  const variables = JSON.stringify({ id: 'store-0' });
  const crawled = await crawl({
    origin: server.url,
    cache: varnish.url,
    secret,
    publishable,
    requests: [
      ...paths.map(path => ({ path: path.replace(/\{[^}]*store[^}]*\}/, 'store-0').replaceAll(/\{[^}]*\}/g, 'x') })),
      ...['/health/live', '/docs', '/menu/store-0', '/schema.graphql', '/nothing'].map(path => ({ path })),
      ...queries.map(text => ({ path: `/graphql?${new URLSearchParams({ query: text, variables })}` })),
      ...['getStore', 'getMenuConfiguration'].map(documentId => ({
        path: `/graphql?${new URLSearchParams({ documentId, variables: '{"store_service_id":"store-0"}' })}`,
      })),
      ...queries.map(text => ({
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text, variables: { id: 'store-0' } }),
      })),
    ],
  });
  violations.push(...crawled.violations);
  console.log(`${crawled.compared} crawled requests, ${crawled.hits} of them hits`);
});

/** CPU time of the service for reads of the tree of a store: by a route with a secret key, and by guests, who are let into caches. */
async function compareCpu(server: Server, admin: string, key: string): Promise<void> {
  const variables = JSON.stringify({ id: 'store-0' });
  const headers = { 'x-api-key': admin };
  const kinds = {
    tree: () => fetch(`${server.url}/v1/stores/store-0/menu_configuration/`, { headers }),
    route: () => fetch(`${server.url}/v1/stores/store-0/menu_configuration/?key=${key}`),
    graphql: () => fetch(`${server.url}/graphql?${new URLSearchParams({ query: menuQuery, variables, key })}`),
  };
  const totals: Record<string, number> = {};
  const each = 2_000;
  for (let round = 0; round < 6; round++) {
    for (const [name, send] of Object.entries(kinds)) {
      const before = cpuSeconds(server.child.pid);
      const one = async () => {
        for (let count = 0; count < each / 4; count++) {
          const response = await send();
          await response.arrayBuffer();
          if (!response.ok) throw new Error(`${name}: status ${response.status}`);
        }
      };
      await Promise.all([one(), one(), one(), one()]);
      // The first round warms up.
      if (round > 0) totals[name] = (totals[name] ?? 0) + cpuSeconds(server.child.pid) - before;
    }
  }
  for (const [name, seconds] of Object.entries(totals)) {
    console.log(
      `${name}: ${((seconds / each / 5) * 1_000).toFixed(3)} ms, ${(seconds / (totals.tree ?? 1)).toFixed(2)} of the tree`,
    );
  }
}
