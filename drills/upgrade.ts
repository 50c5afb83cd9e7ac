import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readOptions } from '../support/options.ts';
import { carte, importDocuments, startCheckout, startServer, stopServer } from '../support/servers.ts';
import { formerCursor, watchWithInterruptions } from '../support/streams.ts';
import { runDrill } from './support/harness.ts';
import { checkOrders, createTenants, OrderLoad } from './support/order-load.ts';

const options = readOptions(
  `Upgrades a service with --orders orders under load: two processes of an earlier version, e.g. 0.2.0, a checkout of which with its dependencies is in
--checkout, place and accept orders; one of this version starts beside them and migrates the database; then a second one, and one of the earlier ones is
started again; then these stop. No request may fail, no order may be rewritten, and every change must be in the event log once, in the order of its
store. --seconds is the time of each of the three stages.`,
  { checkout: '', seconds: 20, stores: 12, orders: 100_000 },
);
const pauseMs = 50;
const kinds = ['ORDER_PLACED', 'ORDER_CHANGED', 'ORDERS_CHANGED'];

const insertOrders = `
  insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos, completed_at)
  select gen_random_uuid(), 's' || n % $2, at, 'FULFILLED', 'Guest ' || n, '+35191' || n, n, 0, '[{"name": "Soup", "quantity": 1}]', at, true, true, at
  from (select n, now() - n * interval '1 minute' as at from generate_series(1, $1) n) numbered`;
/** Where each of these orders is, and which transaction has written it. */
const placesOfOrders = `
  select count(*)::int as count, md5(string_agg(id || ctid || xmin, ' ' order by id)) as hash from orders where customer_name like 'Guest %'`;

/** Samples the locks of tables, every few milliseconds: how long those were held that keep requests off, and how long a request waited. */
function watchLocks(connection: pg.ClientConfig) {
  const longest = { held: 0, heldBy: '', waited: 0 };
  const firstSeen = new Map<string, number>();
  let isOver = false;
  const run = async () => {
    const client = new pg.Client(connection);
    await client.connect();
    while (!isOver) {
      const { rows } = await client.query(`
        select pid || ' ' || virtualtransaction || ' ' || relation as lock, relation::regclass::text as name, mode, granted,
          extract(epoch from clock_timestamp() - waitstart)::float8 * 1000 as waited
        from pg_locks where locktype = 'relation' and database = (select oid from pg_database where datname = current_database())
          and relation >= 16384 and (not granted or mode in ('AccessExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock'))`);
      const now = performance.now();
      for (const { lock, name, mode, granted, waited } of rows) {
        const isOfRequest = ['AccessShareLock', 'RowShareLock', 'RowExclusiveLock'].includes(mode);
        if (!granted && isOfRequest) longest.waited = Math.max(longest.waited, waited);
        if (!granted) continue;
        const since = firstSeen.get(lock) ?? now;
        firstSeen.set(lock, since);
        if (now - since > longest.held) Object.assign(longest, { held: now - since, heldBy: `${mode} of ${name}` });
      }
      await sleep(2);
    }
    await client.end();
  };
  const running = run();
  return async () => {
    isOver = true;
    await running;
    return longest;
  };
}

await runDrill(async ({ startDatabase, run, violations }) => {
  const { checkout } = options;
  if (checkout === '') throw new Error('--checkout is missing');
  const database = await startDatabase();
  const env = { ...database.env, CARTE_LOG_LEVEL: 'error', CARTE_STREAMS_PER_KEY: '1000' };
  const storeIds = Array.from({ length: options.stores }, (_, index) => `s${index}`);
  const documents = storeIds.map(id => ({ id, name: {} }));
  await carte(['migrate'], env, { folder: checkout });
  await importDocuments('stores', documents, env, checkout);
  await database.query(insertOrders, [options.orders, options.stores]);
  const [places] = await database.query(placesOfOrders);
  const earlier = [await run(startCheckout(checkout, env)), await run(startCheckout(checkout, env))];
  const key = await carte(['key', 'create', '--name', 'drill', '--all', '--can', 'menu,orders,stock,admin'], env, {
    folder: checkout,
  });
  let urls = earlier.map(({ url }) => url);
  const tenants = await createTenants(urls[0] ?? '', key, storeIds);
  const migrations = async () => (await database.query('select from migration')).length;
  const before = await migrations();
  const [start] = await database.query(
    'select greatest(complete_after, (select max(position) from event)) as position from event_log',
  );
  const position = Number(start?.position);
  const subscribers = storeIds.map((storeId, index) => {
    const service = {
      key,
      get url() {
        return urls[index % urls.length] ?? '';
      },
    };
    const after = formerCursor('orderEvents', { storeId, position });
    const watched = watchWithInterruptions(index % 2 ? 'sse' : 'websocket', service, { storeId, after, maxEvents: 50 });
    return { storeId, ...watched };
  });

  const load = new OrderLoad(() => urls, tenants, { pauseMs, writers: 2 });
  const stages: { name: string; from: number; to: number }[] = [];
  const stage = async (name: string, work: () => Promise<unknown>) => {
    const from = performance.now();
    await work();
    stages.push({ name, from, to: performance.now() });
  };
  const goOn = () => sleep(options.seconds * 1_000);
  await stage('earlier version', goOn);
  const stopWatching = watchLocks(database.connection);
  await stage('start of this version, with migrations', async () => {
    const { url } = await run(startServer(env));
    urls = [...urls, url];
  });
  const locks = await stopWatching();
  await stage('side by side', async () => {
    const again = await run(startCheckout(checkout, env));
    earlier.push(again);
    urls = [...urls, again.url];
    await goOn();
  });
  await stage('earlier version stops', async () => {
    const { url } = await run(startServer(env));
    urls = [...urls.filter(used => !earlier.some(server => server.url === used)), url];
    // As a load balancer does, which first takes them out.
    await load.settle();
    for (const server of earlier) await stopServer(server, 60_000);
  });
  await stage('this version', goOn);
  await load.stop();

  while ((await database.query('select from event_inbox limit 1')).length > 0) await sleep(50);
  for (const { storeId, cursors, problems, stop } of subscribers) {
    const rows = await database.query(
      'select position from event where store_id = $1 and kind = any($2) and position > $3 order by position',
      [storeId, kinds, position],
    );
    // For an hour after the migration, cursors are such that the earlier version reads them.
    const expected = rows.map(row => formerCursor('orderEvents', { storeId, position: Number(row.position) }));
    const deadline = performance.now() + 60_000;
    while (cursors.length < expected.length && performance.now() < deadline) await sleep(50);
    if (JSON.stringify(cursors) !== JSON.stringify(expected)) {
      violations.push(
        `the stream of ${storeId}: ${cursors.length} events, other than the ${expected.length} in the log`,
      );
    }
    violations.push(...problems.map(problem => `the stream of ${storeId}: ${problem}`));
    await stop();
  }
  const [placesLater] = await database.query(placesOfOrders);
  if (JSON.stringify(places) !== JSON.stringify(placesLater)) violations.push('orders of before were rewritten');
  const checked = await checkOrders(sql => database.query(sql), load.writes);
  violations.push(...load.violations, ...checked.violations);
  console.log(
    `${placesLater?.count} orders of before, ${(await migrations()) - before} migrations and files, ${checked.events} events of orders`,
  );
  console.log(
    `locks during the migration: held for ${locks.held.toFixed(0)} ms (${locks.heldBy}), waited for by a request for ${locks.waited.toFixed(0)} ms`,
  );
  for (const { name, from, to } of stages) {
    const writes = load.writes.filter(({ ended }) => ended >= from && ended < to);
    const reads = load.reads.filter(({ ended }) => ended >= from && ended < to);
    const failedWrites = writes.filter(({ outcome }) => outcome !== 'acknowledged');
    const failedReads = reads.filter(({ status }) => status !== 200);
    const slowest = Math.max(0, ...[...writes, ...reads].map(({ begun, ended }) => ended - begun));
    console.log(
      `${name}, ${((to - from) / 1_000).toFixed(0)} s: ${writes.length} writes, ${reads.length} reads, ${failedWrites.length + failedReads.length} failed, slowest ${slowest.toFixed(0)} ms`,
    );
    violations.push(
      ...failedWrites.map(
        ({ kind, name: order, outcome, response }) => `${name}: ${kind} ${order} was ${outcome}, ${response}`,
      ),
    );
    violations.push(...failedReads.map(({ storeId, status }) => `${name}: a read of ${storeId} was ${status}`));
  }
});
