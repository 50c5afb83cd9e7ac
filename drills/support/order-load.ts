import { setTimeout as sleep } from 'node:timers/promises';
import { orderableMenu } from './menu.ts';

/** A store with one item, and a key for it alone. */
export interface Tenant {
  readonly storeId: string;
  readonly key: string;
}

/** What its caller knows of a change: `refused` before it began, or `unknown` because it failed with UNAVAILABLE or there was no response. */
type Outcome = 'acknowledged' | 'refused' | 'unknown';

export interface Write {
  readonly kind: 'ORDER_PLACED' | 'ORDER_CHANGED';
  /** Of the order; its customer has it. */
  readonly name: string;
  readonly begun: number;
  readonly ended: number;
  readonly outcome: Outcome;
  /** Status, process and the beginning of the body; of an unknown one. */
  readonly response?: string;
}

interface Read {
  readonly storeId: string;
  /** 0 without a response. */
  readonly status: number;
  readonly begun: number;
  readonly ended: number;
}

interface Order {
  readonly id: string;
  readonly name: string;
}

const refusal = 'Nothing can be changed';

/** The processes that are used at the moment. */
export type Urls = () => readonly string[];

/** One writer for each tenant and process at a time, which places orders and accepts them, and one reader; by routes, which the version before has as well. */
export class OrderLoad {
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  /** Responses that no fault of the database excuses. */
  readonly violations: string[] = [];
  readonly #urls: Urls;
  readonly #pauseMs: number;
  readonly #loops: Promise<void>[];
  readonly #sending = new Set<Promise<unknown>>();
  #isOver = false;

  constructor(urls: Urls, tenants: readonly Tenant[], { pauseMs, writers = 1 }: { pauseMs: number; writers?: number }) {
    this.#urls = urls;
    this.#pauseMs = pauseMs;
    this.#loops = tenants.flatMap(tenant => [
      ...Array.from({ length: writers }, (_, writer) => this.#write(tenant, writer)),
      this.#read(tenant),
    ]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  /** Resolves when all requests that are under way have ended. */
  async settle(): Promise<void> {
    await Promise.all(this.#sending);
  }

  async #write(tenant: Tenant, writer: number): Promise<void> {
    const pending: Order[] = [];
    for (let turn = 0; !this.#isOver; turn++) {
      const order = turn % 2 ? pending.shift() : undefined;
      if (order) {
        const path = `/pos/v1/orders/${order.id}/status`;
        const { outcome } = await this.#change(tenant, 'ORDER_CHANGED', order.name, path, { status: 'ACCEPTED' });
        if (outcome === 'refused') pending.push(order);
      } else {
        const name = `${tenant.storeId}-${writer}-${turn}`;
        const path = `/pos/v1/stores/${tenant.storeId}/orders`;
        const body = { customer: { name, phone: '' }, lines: [{ item_external_id: 'soup', quantity: 1 }] };
        const { id } = await this.#change(tenant, 'ORDER_PLACED', name, path, body);
        if (id !== undefined) pending.push({ id, name });
      }
      await sleep(this.#pauseMs);
    }
  }

  async #change(tenant: Tenant, kind: Write['kind'], name: string, path: string, body: object) {
    const begun = performance.now();
    const { url, status, text } = await this.#send(tenant, path, body, { 'idempotency-key': name });
    const id: string | undefined = status === 200 ? JSON.parse(text).id : undefined;
    const outcome = id !== undefined ? 'acknowledged' : text.includes(refusal) ? 'refused' : 'unknown';
    if (outcome === 'unknown' && status !== 0 && status !== 503) {
      this.violations.push(`${kind} ${name}: ${text.slice(0, 200)}`);
    }
    const response = outcome === 'unknown' ? { response: `${status} of ${url}: ${text.slice(0, 200)}` } : {};
    this.writes.push({ kind, name, begun, ended: performance.now(), outcome, ...response });
    return { id, outcome };
  }

  async #read(tenant: Tenant): Promise<void> {
    const { storeId } = tenant;
    const paths = ['', '/menu_configuration/', '/orders/?page_size=20'].map(path => `/v1/stores/${storeId}${path}`);
    for (let turn = 0; !this.#isOver; turn++) {
      const begun = performance.now();
      const { status } = await this.#send(tenant, paths[turn % paths.length] ?? '');
      this.reads.push({ storeId, status, begun, ended: performance.now() });
      await sleep(this.#pauseMs);
    }
  }

  async #send(tenant: Tenant, path: string, body?: object, headers = {}) {
    const urls = this.#urls();
    const sending = send(urls[Math.floor(Math.random() * urls.length)] ?? '', tenant, path, body, headers);
    this.#sending.add(sending);
    const reply = await sending;
    this.#sending.delete(sending);
    return reply;
  }
}

/** Without a response, the status is 0 and the text is the reason. */
async function send(url: string, { key }: Pick<Tenant, 'key'>, path: string, body?: object, more = {}) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', ...more };
  try {
    const response = await fetch(url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
    return { url, status: response.status, text: await response.text() };
  } catch (error) {
    return { url, status: 0, text: String(error instanceof Error ? error.cause : error) };
  }
}

const createApiKey = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
/** The same in 0.2.0, from which one upgrades. */
const formerCreateApiKey = createApiKey.replace('secret', 'key');

/** Gives each store a menu and a key of its own, with a key that may do everything. */
export async function createTenants(url: string, key: string, storeIds: readonly string[]): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for (const storeId of storeIds) {
    const input = { name: storeId, storeIds: [storeId], permissions: ['ORDERS', 'STOCK', 'MENU'] };
    const issue = (query: string) => send(url, { key }, '/graphql', { query, variables: { input } });
    const secretIn = ({ text }: { readonly text: string }) => /"(?:secret|key)":"([^"]+)"/.exec(text)?.[1];
    const secret = secretIn(await issue(createApiKey)) ?? secretIn(await issue(formerCreateApiKey));
    tenants.push({ storeId, key: secret ?? '' });
    const posted = await send(url, { key }, `/v1/stores/${storeId}/menu_configuration/`, orderableMenu);
    if (posted.status !== 200) throw new Error(`The menu of ${storeId}: ${posted.status} ${posted.text}`);
  }
  return tenants;
}

type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/**
 * Compares what writers were told with their orders, and these with the log: each acknowledged change is there, none that was refused; each has
 * one event; and of two changes of a store, of which one was acknowledged before the other began, the later one has the later position.
 */
export async function checkOrders(query: Query, writes: readonly Write[]) {
  const violations: string[] = [];
  const names = new Set(writes.map(({ name }) => name));
  const all = await query('select id, store_id as store, customer_name as name, status from orders');
  const rows = all.filter(row => names.has(String(row.name)));
  const orders = new Map(rows.map(row => [String(row.name), row]));
  if (orders.size < rows.length) violations.push(`${rows.length - orders.size} orders were placed twice`);
  const events = await query(
    'select order_id as order, kind, position::float8 as position from event where order_id is not null order by position',
  );
  const eventsOf = Map.groupBy(events, event => String(event.order));
  for (const [name, { id, status }] of orders) {
    const kinds = (eventsOf.get(String(id)) ?? []).map(event => event.kind).join(' ');
    const expected = status === 'PENDING' ? 'ORDER_PLACED' : 'ORDER_PLACED ORDER_CHANGED';
    if (kinds !== expected) violations.push(`the order ${name} is ${status}, its events are "${kinds}"`);
  }
  const isCommitted = ({ kind, name }: Write) => {
    const order = orders.get(name);
    return order !== undefined && (kind === 'ORDER_PLACED' || order.status !== 'PENDING');
  };
  const committedLater: Write[] = [];
  const tried = Map.groupBy(writes, ({ kind, name }) => `${kind} ${name}`);
  for (const [what, attempts] of tried) {
    const outcomes = new Set(attempts.map(({ outcome }) => outcome));
    const committed = attempts.filter(isCommitted);
    if (outcomes.has('acknowledged') && committed.length === 0) violations.push(`${what} was acknowledged and is lost`);
    if (outcomes.has('acknowledged') || committed.length === 0) continue;
    if (outcomes.has('unknown')) committedLater.push(...committed.slice(-1));
    else violations.push(`${what} was refused and is committed`);
  }
  const positionOf = ({ kind, name }: Write) => {
    const own = eventsOf.get(String(orders.get(name)?.id)) ?? [];
    return Number(own.find(event => event.kind === kind)?.position);
  };
  const acknowledged = writes.filter(({ outcome }) => outcome === 'acknowledged');
  for (const ofStore of Map.groupBy(acknowledged, ({ name }) => String(orders.get(name)?.store)).values()) {
    const byEnd = ofStore.toSorted((one, other) => one.ended - other.ended);
    let next = 0;
    let latest = 0;
    for (const write of ofStore.toSorted((one, other) => one.begun - other.begun)) {
      for (let before = byEnd[next]; before && before.ended < write.begun; before = byEnd[++next]) {
        latest = Math.max(latest, positionOf(before));
      }
      if (positionOf(write) < latest)
        violations.push(`the event of ${write.kind} ${write.name} is before an earlier one`);
    }
  }
  return { violations, committedLater, events: events.length };
}
