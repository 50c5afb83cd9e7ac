import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { issueKey } from '../src/auth/keys.ts';
import { readConfig } from '../src/config.ts';
import { runImport } from '../src/import/run.ts';
import { openDatabase } from '../src/open-database.ts';
import { verifyCounters } from '../src/order/counters.ts';
import { applyOrderRetention } from '../src/order/retention.ts';
import { forkInScope, operatorScope } from '../src/scope.ts';
import { readOptions } from '../support/options.ts';
import { untilUsable } from '../support/replicas.ts';
import { stopServer } from '../support/servers.ts';
import { startPair } from '../support/standby.ts';
import { runDrill } from './support/harness.ts';
import { createTenants } from './support/order-load.ts';

const options = readOptions(
  `Fills a primary with --orders of --stores, 5 % of them of one guest in three spellings, and starts a standby and a server that reads from it. Finds,
exports and erases the guest, and then anonymizes all orders (--only erase or anonymize), each time beside --perSecond placed orders and a fifth as many lists,
and with a SIGKILL in the middle. Afterwards no column of any table has anything of the guest, on either server. The 95th percentile of requests may be
twice the calm one or, if that is more, --slowestMs; anything else on the machine that takes a processor makes it many times as much. With --observed
everything is logged and traced, which takes its time, and neither logs nor traces nor metrics may have anything of a guest.`,
  {
    orders: 30_000,
    stores: 20,
    perSecond: 20,
    calmSeconds: 10,
    slowestMs: 30,
    partitions: false,
    observed: false,
    only: '',
  },
);

const name = 'Zenobia Quist';
const phones = ['+351 919 000 777', '919.000.777', '00351919000777'];
const ofGuest = phones.flatMap(phone => ['--phone', phone]);
const other = { name: 'Ulla Quist', phone: '+351 918 111 222' };
const traceOfGuest = 'zenobia|919\\D?000\\D?777|777000919';
const traceOfAny = /zenobia|quist|919\W?000\W?777|918\W?111\W?222/i;

/** With parameters, since its text is in the log of PostgreSQL. */
const seed = `
  insert into orders (id, store_id, created_at, status, completed_at, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos,
    customer_comments, service, steps)
  select overlay(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') placing '-' from 9 for 0) || '-7' || substr(md5(n::text), 1, 3) || '-' || n,
    'store-' || (n + n / 20) % ${options.stores}, at, 'FULFILLED', at, coalesce(guest, 'Guest ' || n % 5000),
    case when guest is null then '+351 912 ' || lpad((n % 5000)::text, 6, '0') else ($2::text[])[1 + n / 20 % 3] end, 1200, 120,
    case when guest is null then '[{"external_id": "soup", "name": {"translations": {"en": "Soup"}}, "quantity": 2, "price": 600, "tax": 60, "modifiers": []}]'
      else json_build_array(json_build_object('sku', 'S-1', 'price', 1200, 'Special_note', 'ask ' || guest), json_build_object('label', 'for ' || guest)) end,
    at, true, true, 'call ' || guest,
    case when guest is not null then json_build_object('address', json_build_object('addressLine1', 'Rua ' || guest), 'tip', 100) end,
    case when guest is not null then jsonb_build_array(jsonb_build_object('at', at, 'status', 'FULFILLED', 'reason', guest)) end
  from (
    select n, case when n % 20 = 0 then $1::text end as guest, now() - interval '2 days' - n * interval '2 minutes' as at
    from generate_series(1, ${options.orders}) n
  ) made`;

const placeOrder = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }';
const eraseGuest = 'mutation ($input: EraseGuestInput!) { eraseGuest(input: $input) { storeCount } }';
const bin = fileURLToPath(new URL('../bin/carte.js', import.meta.url));
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

type Times = Readonly<Record<'place' | 'list', number[]>>;

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, next) => one - next);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

await runDrill(async ({ folder, atEnd, startServer, violations }) => {
  // What a server logs at most without parameters, as docs/operating.md has it.
  const logAll = { log_min_duration_statement: '0', log_parameter_max_length: '0', log_error_verbosity: 'terse' };
  const pair = await startPair(folder, {
    ...(options.observed && logAll),
    shared_buffers: '256MB',
    max_wal_size: '2GB',
  });
  atEnd(() => pair.stop());
  async function connect(url: string): Promise<pg.Client> {
    const client = new pg.Client(url);
    await client.connect();
    atEnd(() => client.end());
    return client;
  }
  const [client, watcher, standby] = [
    await connect(pair.primaryUrl),
    await connect(pair.primaryUrl),
    await connect(pair.standbyUrl),
  ];
  const count = async (condition: string, table = 'orders') =>
    Number((await client.query(`select count(*) from ${table} where ${condition}`)).rows[0]?.count);

  const anonymized = () => count('(anonymized_at is not null)::int = 1');
  /** Waits for one order that comes after so many others: to count them all would delay the requests. */
  async function untilAnonymized(sequence: string, offset: number, values: readonly string[] = []): Promise<void> {
    const statement = `select id from orders ${sequence} limit 1 offset ${Math.floor(offset)}`;
    const { rows } = await client.query<{ id: string }>(statement, [...values]);
    const isAnonymized = 'select from orders where id = $1 and anonymized_at is not null';
    while ((await client.query(isAnonymized, [rows[0]?.id])).rowCount === 0) await sleep(20);
  }

  async function untilReplayed(): Promise<void> {
    const { rows } = await client.query('select pg_current_wal_lsn() as position');
    const replayed = `select where pg_last_wal_replay_lsn() >= '${rows[0]?.position}'`;
    while ((await standby.query(replayed)).rowCount === 0) await sleep(50);
  }

  const traces: string[] = [];
  const collector = createServer(async (request, response) => {
    traces.push(await text(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  atEnd(() => collector.close());
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const log: string[] = [];
  const onLog = (line: string) => void log.push(line);
  const env = {
    DATABASE_URL: pair.primaryUrl,
    PORT: '0',
    CARTE_MAX_DELAY_MS: '60000',
    ...(options.observed && { CARTE_LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
  };
  // Without a process for each: a start takes more than all the rest of what --observed does.
  const database = await openDatabase(readConfig(env));
  atEnd(() => database.close());
  const em = forkInScope(database.orm, operatorScope);
  const granted = { all: true, merchantIds: [], storeIds: [], permissions: ['MENU', 'ORDERS', 'ADMIN'] as const };
  const { key } = await issueKey(em, { name: 'drill', ...granted });

  const storeIds = Array.from({ length: options.stores }, (_, index) => `store-${index}`);
  await client.query(`insert into merchant (id, brand_name) values ('merchant', 'Casa')`);
  await client.query(`insert into store (id, name, merchant_id) select unnest($1::text[]), '{}', 'merchant'`, [
    storeIds,
  ]);
  if (options.partitions) {
    await client.query(readFileSync(new URL('../deploy/partitions/orders.sql', import.meta.url), 'utf8'));
    await client.query("select add_order_parts((now() - interval '15 months')::date, 8)");
  }
  await client.query(seed, [name, phones]);
  await client.query('vacuum analyze');
  // Replaying so much takes a processor of its own.
  await untilReplayed();
  const ofName =
    'select count(*)::int as orders, count(distinct store_id)::int as stores from orders where customer_name = $1';
  const guest = (await client.query<{ orders: number; stores: number }>(ofName, [name])).rows[0] ?? {
    orders: 0,
    stores: 0,
  };
  const server = await startServer({ ...env, DATABASE_REPLICA_URLS: pair.standbyUrl }, onLog);
  await untilUsable([server.url]);
  const send = (path: string, body?: string, given = key) => {
    const headers = { 'x-api-key': given, 'content-type': 'application/json' };
    return fetch(server.url + path, { headers, ...(body && { method: 'POST', body }) });
  };
  const graphql = (query: string, variables: object = {}, given = key) =>
    send('/graphql', JSON.stringify({ query, variables }), given);
  // A key for each store, as one key has 8 requests at a time.
  const tenants = await createTenants(server.url, key, storeIds);

  async function timed(times: number[], run: () => Promise<Response>): Promise<void> {
    const started = performance.now();
    const response = await run();
    const body = await response.text();
    times.push(performance.now() - started);
    if (response.status !== 200 || body.includes('"errors"'))
      violations.push(`${response.status}: ${body.slice(0, 200)}`);
  }

  const lines = [{ itemExternalId: 'soup', note: 'quist note' }];
  const order = (storeId: string) => ({
    input: { storeId, idempotencyKey: randomUUID(), customer: other, customerComments: 'quist comment', lines },
  });

  /** What holds locks for erasures and anonymization, by its statements, and how long anything waits for a lock. */
  async function watchLocks(isOver: () => boolean): Promise<string> {
    const longest = { transaction: 0, wait: 0 };
    const modes = new Set<string>();
    while (!isOver()) {
      const { rows } = await watcher.query(
        `select extract(epoch from clock_timestamp() - xact_start) * 1000 as ms, array(select mode from pg_locks l where l.pid = a.pid and relation <> 0) as modes
         from pg_stat_activity a where query like '%RETENTION%' and state = 'active' and pid <> pg_backend_pid()`,
      );
      for (const { ms, modes: found } of rows) {
        longest.transaction = Math.max(longest.transaction, Number(ms));
        for (const mode of found) modes.add(mode);
      }
      const waits = await watcher.query(
        'select max(clock_timestamp() - waitstart) as wait from pg_locks where not granted',
      );
      longest.wait = Math.max(longest.wait, waits.rows[0]?.wait?.milliseconds ?? 0);
      await sleep(10);
    }
    const held =
      modes.size > 0
        ? `transactions of up to ${longest.transaction.toFixed(0)} ms with ${[...modes].join(', ')}; `
        : '';
    return `${held}longest wait for a lock ${longest.wait.toFixed(0)} ms`;
  }

  let calm: Times | undefined;

  /** Places orders and reads lists, at a constant rate, while something runs, and compares their times with those in a calm. */
  async function phase(title: string, work: () => Promise<unknown>): Promise<Times> {
    const times: Times = { place: [], list: [] };
    const sent: Promise<void>[] = [];
    let isOver = false;
    const ended = work().finally(() => {
      isOver = true;
    });
    ended.catch(() => {});
    const locks = watchLocks(() => isOver);
    const started = performance.now();
    for (let turn = 0; !isOver; turn++) {
      const { storeId, key } = tenants[turn % tenants.length] ?? { storeId: '', key: '' };
      sent.push(timed(times.place, () => graphql(placeOrder, order(storeId), key)));
      if (turn % 5 === 0)
        sent.push(timed(times.list, () => send(`/v1/stores/${storeId}/orders/?page_size=20`, '', key)));
      await sleep(Math.max(0, started + ((turn + 1) * 1000) / options.perSecond - performance.now()));
    }
    await Promise.all([...sent, ended]);
    console.log(`${title}: ${await locks}`);
    for (const kind of ['place', 'list'] as const) {
      const at = (share: number) => percentile(times[kind], share);
      const twice = 2 * percentile((calm ?? times)[kind], 0.95);
      const shown = [0.5, 0.95, 0.99, 1].map(share => at(share).toFixed(1)).join(' / ');
      const over = (100 * times[kind].filter(ms => ms > twice).length) / times[kind].length;
      console.log(
        `  ${kind} (${times[kind].length}): p50 / p95 / p99 / max ${shown} ms, ${over.toFixed(2)} % over ${twice.toFixed(1)} ms`,
      );
      if (at(0.95) > Math.max(twice, options.slowestMs))
        violations.push(`${title}, the p95 of ${kind} is ${at(0.95).toFixed(0)} ms`);
    }
    return times;
  }
  // Until statements are prepared and code is compiled.
  await phase('at first', () => sleep(options.calmSeconds * 500));
  calm = await phase('calm', () => sleep(options.calmSeconds * 1000));

  if (options.only !== 'anonymize') {
    // As docs/operating.md recommends: a process that starts takes a processor for a second.
    const start = (...args: string[]) => {
      const child = spawn('nice', [process.execPath, bin, 'guest', ...args], { env: { ...process.env, ...env } });
      child.stderr.resume();
      return { child, printed: text(child.stdout), started: performance.now() };
    };
    const command = async (title: string, ...args: string[]) => {
      const { child, printed, started } = start(...args);
      const [code] = await once(child, 'exit');
      if (code !== 0) violations.push(`${title}: exited with ${code}`);
      console.log(`${title} in ${seconds(started)}, ${(await printed).length} characters`);
      return printed;
    };
    await phase('while the guest is found and exported', async () => {
      if (!options.observed) console.log(await command('found', 'find', '--phone', '919000777', '--all'));
      const exported = JSON.parse(await command('exported as JSON', 'export', ...ofGuest, '--merchant', 'merchant'));
      if (exported.length !== guest.orders)
        violations.push(`${exported.length} of ${guest.orders} orders were exported`);
      if (!options.observed) await command('exported as CSV', 'export', ...ofGuest, '--all', '--format', 'csv');
    });
    const ofStores = "kind = 'ORDERS_CHANGED'";
    const before = await count(ofStores, 'event');
    const erase = ['erase', ...ofGuest, '--all', '--yes'];
    await phase('while the guest is erased', async () => {
      const { child, started } = start(...erase);
      await untilAnonymized('where customer_name = $1 order by store_id, id', guest.orders / 2, [name]);
      child.kill('SIGKILL');
      console.log(`killed after ${seconds(started)} with ${await anonymized()} of ${guest.orders} orders erased`);
      if (!options.observed) return void (await command('repeated', ...erase));
      const repeated = await (await graphql(eraseGuest, { input: { phones, all: true } })).text();
      if (!repeated.includes('"storeCount"')) violations.push(`not erased: ${repeated}`);
    });
    while ((await count('true', 'event_inbox')) > 0) await sleep(50);
    const events = (await count(ofStores, 'event')) - before;
    console.log(`${events} events of the erasure at ${guest.stores} stores`);
    if (events !== guest.stores) violations.push(`the erasure has ${events} events for ${guest.stores} stores`);

    const { rows: tables } = await client.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class
       where relnamespace = current_schema::regnamespace and relkind in ('r', 'p') and not relispartition`,
    );
    await untilReplayed();
    for (const [where, from] of Object.entries({ primary: client, standby })) {
      for (const { name: table } of tables) {
        const found = await from.query(`select from ${table} where ${table}::text ~* $1 limit 1`, [traceOfGuest]);
        if (found.rowCount !== 0) violations.push(`${table} has something of the guest on the ${where}`);
      }
    }
    console.log(`${tables.length} tables were read for traces of the guest, on the primary and on the standby`);
  }

  if (options.only !== 'erase') {
    const old = "created_at < now() - interval '1 day'";
    const byAge = 'where completed_at is not null and anonymized_at is null order by completed_at';
    const settings = { ...env, CARTE_ORDERS_ANONYMIZE_DAYS: '1' };
    // Their starts are not what is compared.
    const worker = await startServer(settings, onLog);
    await phase('while old orders are anonymized', async () => {
      await untilAnonymized(byAge, options.orders / 2);
      worker.child.kill('SIGKILL');
      console.log(`killed with ${await anonymized()} of ${options.orders} orders anonymized`);
    });
    const named = () => count(`${old} and (customer_name <> '' or customer_phone <> '')`);
    if (!options.observed) await startServer(settings, onLog);
    await phase('while the rest is anonymized', async () => {
      if (!options.observed) return untilAnonymized(`${byAge} desc`, 0);
      // The transaction of the process that was killed may not have ended yet, and one at a time anonymizes.
      while ((await named()) > 0) await applyOrderRetention(em, { anonymizeDays: 1 });
    });
    if ((await named()) > 0) violations.push(`${await named()} anonymized orders have a name or a phone number`);
  }
  const wrong = await verifyCounters(em);
  if (wrong.length > 0) violations.push(`${wrong.length} counters are wrong`);
  if (!options.observed) return;

  // What fails is logged, too.
  const byGuest = `customer_name=${encodeURIComponent(name)}&phone_number=919000777`;
  await send(`/v1/stores/store-0/orders/?${byGuest}&page_size=x`);
  await graphql(`{ store(id: "store-0") { orders(filter: { customerName: "${name}" }) { nope } } }`);
  await graphql(placeOrder, {
    input: { ...order('store-0').input, lines: [{ itemExternalId: 'none', note: 'quist' }] },
  });
  await send('/graphql', `{"variables": {"input": {"customer": {"name": Zenobia}}}}`);
  const at = '2026-01-01T12:00:00Z';
  const line = {
    ...{ id: 'imported', store: { id: 'store-0' }, created_at: at, ready_by: at, status: 'READY', customer: other },
    ...{ items: [{ note: 'quist' }], price: 1, tax: 0, is_read: true, in_pos: true },
  };
  const onError = ({ error }: { error: { message: string } }) => void violations.push(`not imported: ${error.message}`);
  const stream = Readable.from([Buffer.from(JSON.stringify(line))]);
  await runImport({ em, kind: 'orders', stream, strict: true, onError, onProgress() {} });
  const cancel = `mutation { changeOrderStatus(input: { orderId: "imported", to: STORE_CANCELLED, reason: "Quist did not come" }) { order { id } } }`;
  for (const _ of ['succeeds', 'is refused']) await graphql(cancel);
  // A statement that the database cancels.
  await client.query("begin; update order_revision set revision = revision where store_id = 'store-0'");
  const cancelled = graphql(placeOrder, order('store-0'));
  const cancelStatement = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`;
  while ((await watcher.query(cancelStatement)).rowCount === 0) await sleep(20);
  if ((await (await cancelled).text()).includes('"id"'))
    violations.push('an order was placed by a cancelled statement');
  await client.query('rollback');
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  await stopServer(server);
  const places = {
    'the log of Carte': log.join(''),
    'its traces': traces.join('\n'),
    'its metrics': metrics,
    'the log of the primary': readFileSync(`${pair.folders.primary}.log`, 'utf8'),
    'the log of the standby': readFileSync(`${pair.folders.standby}.log`, 'utf8'),
  };
  for (const [place, content] of Object.entries(places)) {
    const [trace] = traceOfAny.exec(content) ?? [];
    console.log(`${place}: ${content.length} characters`);
    if (content.length === 0) violations.push(`${place} is empty`);
    if (trace !== undefined) violations.push(`${place} has "${trace}"`);
  }
});
