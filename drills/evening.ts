import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../support/options.ts';
import { carte, createKey, importDocuments } from '../support/servers.ts';
import { type Call, createCall, menu, order, type Placed } from './evening/kiosk.ts';
import { createPos } from './evening/pos.ts';
import { runDrill } from './support/harness.ts';
import { startProxy } from './support/proxy.ts';

const options = readOptions(
  `An evening of a store by REST alone. The client of examples/pos-python posts the menu, accepts, cooks and hands over orders, sells a dish out, changes a
price and pauses the store, while one of two processes at a time is killed with SIGKILL and started again, and now and then the client, too. Checks that each
order is accepted once, that none is missed, and that statuses, tickets, prices and counters are right. Needs python3.`,
  { orders: 500, rate: 6, killEverySeconds: 3 },
);

const storeId = 'store';
const path = `/pos/v1/stores/${storeId}`;
const finals = ['FULFILLED', 'CUSTOMER_CANCELLED'];

interface Event {
  readonly at: string;
  readonly kind: string;
  readonly order_id?: string;
  readonly status_before?: string;
  readonly status?: string;
}

/** All events after a cursor. */
async function readEvents(call: Call, start: string): Promise<Event[]> {
  const events: Event[] = [];
  for (let after = start; ; ) {
    const { body } = await call('GET', `${path}/events?after=${after}`);
    events.push(...body.events);
    after = body.next;
    if (!body.has_more && body.events.length === 0) return events;
  }
}

/** What became of each order: its statuses, and when it had them. */
function changesOf(events: readonly Event[]): Map<string, Event[]> {
  const changes = new Map<string, Event[]>();
  for (const event of events) {
    if (event.order_id === undefined || event.status === event.status_before) continue;
    changes.set(event.order_id, [...(changes.get(event.order_id) ?? []), event]);
  }
  return changes;
}

const count = async (call: Call, query: string): Promise<number> =>
  (await call('GET', `/v1/stores/${storeId}/orders/?page_size=1&${query}`)).body.count;

/** Waits until no order is open, as long as the client makes progress. */
async function untilServed(call: Call): Promise<void> {
  let done = -1;
  for (let last = Date.now(); Date.now() < last + 60_000; await sleep(500)) {
    const [ready, open] = [await count(call, 'status=READY'), await count(call, 'status=PENDING,ACCEPTED,READY')];
    if (open === 0) return;
    if (open * 2 + ready !== done) last = Date.now();
    done = open * 2 + ready;
  }
}

function percentile(sorted: readonly number[], share: number): string {
  return `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0} ms`;
}

await runDrill(async ({ folder, atEnd, startDatabase, startServer, violations }) => {
  const { env } = await startDatabase();
  await importDocuments('stores', [{ id: storeId, name: {} }], env);
  const key = await carte(['key', 'create', '--name', 'pos', '--store', storeId, '--write'], env);
  const start = () => startServer({ ...env, CARTE_LOG_LEVEL: 'silent' });
  const servers = [await start(), await start()];
  let turn = 0;
  const proxy = await startProxy(() => servers[turn++ % servers.length]?.port ?? 0);
  atEnd(() => proxy.close());
  const call = createCall(proxy.url, await createKey(env, '--write'));
  const beginning = String((await call('GET', `${path}/events`)).body.next);

  const pos = createPos({ url: proxy.url, key, storeId }, join(folder, 'state.json'));
  atEnd(() => pos.stop());
  writeFileSync(join(folder, 'menu.json'), JSON.stringify(menu));
  await pos.run('menu', join(folder, 'menu.json'));

  const begun = Date.now();
  const placed: Placed[] = [];
  let isOver = false;
  let [kills, restarts] = [0, 0];
  const kill = async () => {
    while (!isOver) {
      await sleep(options.killEverySeconds * 1_000);
      if (isOver) return;
      servers[kills % 2]?.child.kill('SIGKILL');
      servers[kills % 2] = await start();
      kills += 1;
      if (kills % 4 > 0) continue;
      restarts += 1;
      await pos.restart();
    }
  };
  const serve = async () => {
    const orders = Array.from({ length: options.orders }, async (_, number) => {
      await sleep((number / options.rate) * 1_000);
      placed.push(await order(call, path, number));
    });
    await Promise.all(orders);
  };
  const untilPlaced = async (share: number) => {
    while (placed.length < options.orders * share) await sleep(50);
  };
  const change = { sentAt: 0, doneAt: 0 };
  const manage = async () => {
    await untilPlaced(0.2);
    change.sentAt = Date.now();
    await pos.run('price', 'soup', '550', '55');
    change.doneAt = Date.now();
    await untilPlaced(0.4);
    await pos.run('sold-out', 'fish');
    await untilPlaced(0.6);
    await pos.run('in-stock', 'fish');
    await untilPlaced(0.8);
    await pos.run('pause', '--reason', 'too many orders');
    await sleep(2_000);
    await pos.run('open');
  };
  const killing = kill();
  await Promise.all([serve(), manage()]);
  await untilServed(call);
  isOver = true;
  await killing;
  const seconds = (Date.now() - begun) / 1_000;

  const events = await readEvents(call, beginning);
  const changes = changesOf(events);
  if (changes.size !== options.orders) violations.push(`the log has ${changes.size} orders`);
  const delays: number[] = [];
  const ended = new Map<string, number>();
  for (const { id } of placed) {
    const steps = changes.get(id) ?? [];
    const statuses = steps.map(({ status }) => status);
    const isRight =
      statuses.join() === 'PENDING,ACCEPTED,READY,FULFILLED' || statuses.join() === 'PENDING,CUSTOMER_CANCELLED';
    if (!isRight) violations.push(`the order ${id} was ${statuses.join(', ')}`);
    const last = statuses.at(-1) ?? '';
    ended.set(last, (ended.get(last) ?? 0) + 1);
    const [first, second] = steps.map(({ at }) => Date.parse(at));
    if (statuses[1] === 'ACCEPTED') delays.push((second ?? 0) - (first ?? 0));
  }

  for (const status of [...finals, 'PENDING', 'ACCEPTED', 'READY']) {
    const [counted, expected] = [await count(call, `status=${status}`), ended.get(status) ?? 0];
    if (counted !== expected) violations.push(`${counted} orders are counted as ${status} instead of ${expected}`);
  }
  const { body } = await call('GET', `/v1/stores/${storeId}/orders/?status=FULFILLED&page_size=500`);
  const unmarked = body.order_result_list.filter((found: { in_pos: boolean }) => !found.in_pos).length;
  if (unmarked > 0) violations.push(`${unmarked} orders are not marked as transferred`);

  const tickets = pos.tickets();
  const distinct = new Set(tickets);
  const accepted = new Set([...changes].flatMap(([id, steps]) => (steps[1]?.status === 'ACCEPTED' ? [id] : [])));
  const missing = [...accepted].filter(id => !distinct.has(id)).length;
  if (missing > 0 || distinct.size !== accepted.size) violations.push(`${missing} accepted orders have no ticket`);
  // Killed after it has printed a ticket and before it has taken note of it, the client prints that one again.
  if (tickets.length - distinct.size > restarts)
    violations.push(`${tickets.length} tickets of ${distinct.size} orders`);
  if (pos.failure() !== undefined) violations.push(`the client printed ${pos.failure()}`);

  for (const { id, dish, price, sentAt, placedAt } of placed) {
    const isOld = price === (dish === 'soup' ? 500 : 1500);
    const isNew = price === (dish === 'soup' ? 550 : 1500);
    if ((placedAt < change.sentAt && !isOld) || (sentAt > change.doneAt && !isNew) || !(isOld || isNew)) {
      violations.push(`the order ${id} of ${dish} costs ${price}`);
    }
  }
  const kinds = events.map(({ kind }) => kind);
  const pause = kinds.indexOf('ORDERING_CHANGED');
  const during = kinds.slice(pause, kinds.lastIndexOf('ORDERING_CHANGED'));
  if (pause < 0 || during.includes('ORDER_PLACED')) violations.push('an order was placed during the pause');
  // It exits with 1 if a counter is wrong.
  await carte(['orders', 'verify'], env);

  delays.sort((one, other) => one - other);
  console.table({
    'orders placed': placed.length,
    'accepted, each once': accepted.size,
    'fulfilled / cancelled by the guest': finals.map(status => ended.get(status) ?? 0).join(' / '),
    'tickets / printed twice': `${distinct.size} / ${tickets.length - distinct.size}`,
    'processes killed / clients killed': `${kills} / ${restarts}`,
    'requests that the client has repeated': pos.retries(),
    'from placed to accepted: p50 / p99 / longest': [0.5, 0.99, 1].map(share => percentile(delays, share)).join(' / '),
    seconds: Math.round(seconds),
  });
});
