import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readOptions } from '../support/options.ts';
import { untilUsable } from '../support/replicas.ts';
import { carte, createKey, type Server } from '../support/servers.ts';
import { startPair } from '../support/standby.ts';
import { runDrill } from './support/harness.ts';
import { orderableMenu } from './support/menu.ts';

const options = readOptions(
  `Fills a primary with --orders of --stores, 5 % of them of one guest in three spellings, and starts a standby and a server that reads from it. Finds,
exports and erases the guest, and then anonymizes all orders, each time beside --perSecond placed orders and as many lists, and with a SIGKILL in the
middle. Afterwards no column of any table has anything of the guest, on either server, and no log, trace or metric. The 95th percentile of requests may
be twice the calm one or, if that is more, --slowestMs.`,
  { orders: 30_000, stores: 20, perSecond: 20, calmSeconds: 10, slowestMs: 100, partitions: false },
);

/** In halves, since statements of the drill are in the log of the server. */
const name = "'Zeno' || 'bia Qu' || 'ist'";
const spellings = ["'+351 919 ' || '000 777'", "'919.000' || '.777'", "'00351919' || '000777'"];
const phones = ['351919000777', '919000777', '00351919000777'].flatMap(phone => ['--phone', phone]);
const other = { name: 'Ulla Quist', phone: '+351 918 111 222' };
const traceable = /zenobia|quist|919\W?000\W?777|918\W?111\W?222/i;
const columnPattern = "'zeno' || 'bia|919\\D?000' || '\\D?777|777000' || '919'";

const seed = `
  insert into orders (id, store_id, created_at, status, completed_at, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos,
    customer_comments, service, steps)
  select overlay(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') placing '-' from 9 for 0) || '-7' || substr(md5(n::text), 1, 3) || '-' || n,
    'store-' || (n + n / 20) % ${options.stores}, at, 'FULFILLED', at,
    case when is_guest then ${name} else 'Guest ' || n % 5000 end,
    case when is_guest then (array[${spellings.join(', ')}])[1 + n / 20 % 3] else '+351 912 ' || lpad((n % 5000)::text, 6, '0') end,
    1200, 120,
    case when is_guest then json_build_array(json_build_object('sku', 'S-1', 'price', 1200, 'Special_note', 'ask ' || ${name}), json_build_object('label', 'for ' || ${name}))
      else '[{"external_id": "soup", "name": {"translations": {"en": "Soup"}}, "quantity": 2, "price": 600, "tax": 60, "modifiers": []}]' end,
    at, true, true, case when is_guest then 'call ' || ${name} end,
    case when is_guest then json_build_object('address', json_build_object('addressLine1', 'Rua ' || ${name}), 'tip', 100) end,
    case when is_guest then jsonb_build_array(jsonb_build_object('at', at, 'status', 'FULFILLED', 'reason', ${name})) end
  from (select n, n % 20 = 0 as is_guest, now() - interval '2 days' - n * interval '2 minutes' as at from generate_series(1, ${options.orders}) n) made`;

const placeOrder = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }';
const bin = fileURLToPath(new URL('../bin/carte.js', import.meta.url));

type Times = Readonly<Record<'place' | 'list', number[]>>;

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, next) => one - next);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

const describeTimes = (times: Times) =>
  Object.entries(times)
    .map(
      ([kind, of]) =>
        `${kind} p95 ${percentile(of, 0.95).toFixed(0)} ms, slowest ${percentile(of, 1).toFixed(0)} ms (${of.length})`,
    )
    .join('; ');

await runDrill(async ({ folder, atEnd, startServer, violations }) => {
  // What a server logs at most without parameters, as docs/operating.md has it.
  const logAll = { log_min_duration_statement: '0', log_parameter_max_length: '0', log_error_verbosity: 'terse' };
  const pair = await startPair(folder, { ...logAll, shared_buffers: '256MB', max_wal_size: '2GB' });
  atEnd(() => pair.stop());
  const env = { DATABASE_URL: pair.primaryUrl, PORT: '0', CARTE_MAX_DELAY_MS: '60000' };
  await carte(['migrate'], env);
  await pair.onPrimary(`insert into merchant (id, brand_name) values ('merchant', 'Casa')`);
  const storeIds = Array.from({ length: options.stores }, (_, index) => `store-${index}`);
  await pair.onPrimary(
    `insert into store (id, name, merchant_id) select id, '{}', 'merchant' from unnest(array['${storeIds.join("', '")}']) id`,
  );
  if (options.partitions) {
    await pair.onPrimary(readFileSync(new URL('../deploy/partitions/orders.sql', import.meta.url), 'utf8'));
    await pair.onPrimary("select add_order_parts((now() - interval '15 months')::date, 8)");
  }
  await pair.onPrimary(seed);
  await pair.onPrimary('vacuum analyze');
  const client = new pg.Client(pair.primaryUrl);
  await client.connect();
  atEnd(() => client.end());
  const count = async (condition: string) =>
    Number((await client.query(`select count(*) from orders where ${condition}`)).rows[0]?.count);

  const traces: string[] = [];
  const collector = createServer(async (request, response) => {
    traces.push(await text(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve));
  atEnd(() => collector.close());
  const address = collector.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const log: string[] = [];
  const onLog = (line: string) => void log.push(line);
  const observed = { ...env, CARTE_LOG_LEVEL: 'debug' };
  const server = await startServer(
    { ...observed, DATABASE_REPLICA_URLS: pair.standbyUrl, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    onLog,
  );
  await untilUsable([server.url]);
  const headers = { 'x-api-key': await createKey(env, '--write'), 'content-type': 'application/json' };
  const post = (path: string, body: unknown) =>
    fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  for (const id of storeIds) await post(`/v1/stores/${id}/menu_configuration/`, orderableMenu);

  async function timed(times: number[], run: () => Promise<Response>): Promise<void> {
    const started = performance.now();
    const response = await run();
    const body = await response.text();
    times.push(performance.now() - started);
    if (response.status !== 200 || body.includes('"errors"'))
      violations.push(`${response.status}: ${body.slice(0, 200)}`);
  }

  /** Places orders and reads lists, at a constant rate, while something runs. */
  async function loadDuring<T>(work: Promise<T>): Promise<{ readonly times: Times; readonly result: T }> {
    const times: Times = { place: [], list: [] };
    const sent: Promise<void>[] = [];
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    ended.catch(() => {});
    const started = performance.now();
    for (let turn = 0; !isOver; turn++) {
      const storeId = storeIds[turn % storeIds.length] ?? '';
      const lines = [{ itemExternalId: 'soup', note: 'quist note' }];
      const input = {
        storeId,
        idempotencyKey: randomUUID(),
        customer: other,
        customerComments: 'quist comment',
        lines,
      };
      sent.push(timed(times.place, () => post('/graphql', { query: placeOrder, variables: { input } })));
      sent.push(timed(times.list, () => fetch(`${server.url}/v1/stores/${storeId}/orders/?page_size=20`, { headers })));
      await sleep(Math.max(0, started + ((turn + 1) * 1000) / options.perSecond - performance.now()));
    }
    await Promise.all(sent);
    return { times, result: await ended };
  }

  // Until statements are prepared and code is compiled.
  await loadDuring(sleep(options.calmSeconds * 500));
  const calm = (await loadDuring(sleep(options.calmSeconds * 1000))).times;
  console.log(`calm: ${describeTimes(calm)}`);
  const compare = (phase: string, times: Times) => {
    console.log(`${phase}: ${describeTimes(times)}`);
    for (const kind of ['place', 'list'] as const) {
      const allowed = Math.max(2 * percentile(calm[kind], 0.95), options.slowestMs);
      const found = percentile(times[kind], 0.95);
      if (found > allowed)
        violations.push(`${phase}: p95 of ${kind} is ${found.toFixed(0)} ms, allowed are ${allowed.toFixed(0)} ms`);
    }
  };

  /** Watches the transactions of orders that the load does not make, by their statement. */
  async function watchLocks(isOver: () => boolean) {
    const watcher = new pg.Client(pair.primaryUrl);
    await watcher.connect();
    let longestMs = 0;
    const modes = new Set<string>();
    while (!isOver()) {
      const { rows } = await watcher.query(
        `select extract(epoch from clock_timestamp() - xact_start) * 1000 as ms, array(
           select mode from pg_locks l where l.pid = a.pid and locktype = 'relation' and relation = 'orders'::regclass) as modes
         from pg_stat_activity a where query like '%RETENT' || 'ION%' and state = 'active'`,
      );
      for (const row of rows) longestMs = Math.max(longestMs, Number(row.ms));
      for (const mode of rows.flatMap(row => row.modes)) modes.add(mode);
      await sleep(10);
    }
    await watcher.end();
    return `longest transaction seen ${longestMs.toFixed(0)} ms, locks of the table: ${[...modes].join(', ')}`;
  }

  const guestOrders = await count(`customer_name = ${name}`);
  const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
  let started = performance.now();
  const found = await carte(['guest', 'find', '--phone', '919000777', '--all'], env);
  console.log(`found in ${seconds(started)}:\n${found}`);
  started = performance.now();
  const exported = JSON.parse(await carte(['guest', 'export', ...phones, '--merchant', 'merchant'], env));
  console.log(`${exported.length} orders exported as JSON in ${seconds(started)}`);
  started = performance.now();
  const csv = await carte(['guest', 'export', ...phones, '--all', '--format', 'csv'], env);
  console.log(`${csv.length} characters of CSV in ${seconds(started)}`);
  if (exported.length !== guestOrders) violations.push(`${exported.length} of ${guestOrders} orders were exported`);

  const changedStores = async () =>
    Number((await client.query("select count(*) from event where kind = 'ORDERS_CHANGED'")).rows[0]?.count);
  const eventsBefore = await changedStores();
  const guestStores =
    (await client.query(`select distinct store_id from orders where customer_name = ${name}`)).rowCount ?? 0;
  let isErased = false;
  const locks = watchLocks(() => isErased);
  const erasing = async () => {
    const args = [bin, 'guest', 'erase', ...phones, '--all', '--yes'];
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
    while ((await count(`customer_name = ${name}`)) > guestOrders / 2 && child.exitCode === null) await sleep(20);
    child.kill('SIGKILL');
    const left = await count(`customer_name = ${name}`);
    const resumed = performance.now();
    await carte(['guest', 'erase', ...phones, '--all', '--yes'], env);
    isErased = true;
    return `killed with ${left} of ${guestOrders} orders left; the rest took ${seconds(resumed)}`;
  };
  const erased = await loadDuring(erasing());
  console.log(erased.result);
  console.log(await locks);
  compare('while the guest was erased', erased.times);
  while ((await client.query('select from event_inbox limit 1')).rowCount !== 0) await sleep(50);
  const written = (await changedStores()) - eventsBefore;
  console.log(`${written} events of the erasure at ${guestStores} stores`);
  if (written !== guestStores) violations.push(`the erasure has ${written} events for ${guestStores} stores`);

  const columns = await client.query<{ table: string; column: string }>(
    `select quote_ident(relname) as table, quote_ident(attname) as column from pg_class c join pg_attribute a on attrelid = c.oid
     where relnamespace = current_schema::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped`,
  );
  const [{ position } = {}] = await pair.onPrimary('select pg_current_wal_lsn() as position');
  while ((await pair.onStandby(`select where pg_last_wal_replay_lsn() >= '${position}'`)).length === 0) await sleep(50);
  for (const onServer of [pair.onPrimary, pair.onStandby]) {
    for (const { table, column } of columns.rows) {
      const rows = await onServer(`select from ${table} where ${column}::text ~* (${columnPattern}) limit 1`);
      if (rows.length > 0) violations.push(`${table}.${column} has something of the guest`);
    }
  }
  console.log(`${columns.rows.length} columns were read for traces of the guest, on the primary and on the standby`);

  const old = "anonymized_at is null and created_at < now() - interval '1 day'";
  const total = await count(old);
  let isOver = false;
  const anonymizing = async () => {
    const settings = { ...observed, CARTE_ORDERS_ANONYMIZE_DAYS: '1' };
    const begun = performance.now();
    let worker: Server = await startServer(settings, onLog);
    while ((await count(old)) > total / 2) await sleep(100);
    worker.child.kill('SIGKILL');
    const left = await count(old);
    worker = await startServer(settings, onLog);
    while ((await count(old)) > 0) await sleep(200);
    isOver = true;
    return `${total} orders anonymized in ${seconds(begun)}, with a process killed when ${left} were left`;
  };
  const watched = watchLocks(() => isOver);
  const anonymized = await loadDuring(anonymizing());
  console.log(anonymized.result);
  console.log(await watched);
  compare('while old orders were anonymized', anonymized.times);
  await carte(['orders', 'verify'], env);
  const named = await count(`${old.replace('null', 'not null')} and (customer_name <> '' or customer_phone <> '')`);
  if (named > 0) violations.push(`${named} anonymized orders have a name or a phone number`);

  // What fails is logged, too.
  const query = `customer_name=${encodeURIComponent('Zenobia Quist')}&phone_number=919000777`;
  await fetch(`${server.url}/v1/stores/store-0/orders/?${query}&page_size=x`, { headers });
  await post('/graphql', {
    query: '{ store(id: "store-0") { orders(filter: { customerName: "Zenobia Quist" }) { nope } } }',
  });
  const input = {
    storeId: 'store-0',
    idempotencyKey: 'x',
    customer: other,
    lines: [{ itemExternalId: 'none', note: 'quist' }],
  };
  await post('/graphql', { query: placeOrder, variables: { input } });
  const line = {
    id: 'imported',
    store: { id: 'store-0' },
    created_at: '2026-01-01T12:00:00Z',
    ready_by: '2026-01-01T12:00:00Z',
    status: 'READY',
    customer: other,
    items: [{ note: 'quist' }],
    price: 1,
    tax: 0,
    is_read: true,
    in_pos: true,
  };
  await carte(['import', 'orders', '-'], env, { input: [JSON.stringify(line)] });
  const change = { orderId: line.id, to: 'STORE_CANCELLED', reason: 'Quist did not come' };
  const changeStatus =
    'mutation ($input: ChangeOrderStatusInput!) { changeOrderStatus(input: $input) { order { id } } }';
  for (const _ of ['succeeds', 'is refused'])
    await post('/graphql', { query: changeStatus, variables: { input: change } });
  // A statement that the database cancels.
  await client.query("begin; update order_revision set revision = revision where store_id = 'store-0'");
  const lines = [{ itemExternalId: 'soup', note: 'quist note' }];
  const cancelled = post('/graphql', { query: placeOrder, variables: { input: { ...input, lines } } });
  const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`;
  while ((await pair.onPrimary(cancel)).length === 0) await sleep(20);
  if ((await (await cancelled).text()).includes('"id"'))
    violations.push('an order was placed by a cancelled statement');
  await client.query('rollback');
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  server.child.kill('SIGTERM');
  while (server.child.exitCode === null && server.child.signalCode === null) await sleep(50);
  const places = {
    'the log of Carte': log.join(''),
    'its traces': traces.join('\n'),
    'its metrics': metrics,
    'the log of the primary': readFileSync(`${pair.folders.primary}.log`, 'utf8'),
    'the log of the standby': readFileSync(`${pair.folders.standby}.log`, 'utf8'),
  };
  for (const [place, content] of Object.entries(places)) {
    const [trace] = traceable.exec(content) ?? [];
    console.log(`${place}: ${content.length} characters`);
    if (content.length === 0) violations.push(`${place} is empty`);
    if (trace !== undefined) violations.push(`${place} has "${trace}"`);
  }
});
