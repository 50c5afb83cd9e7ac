import { setTimeout as sleep } from 'node:timers/promises';
import type { DocumentKind } from '../servers.ts';
import { idsOf, largestMenu, menuOf, rebateMenu, smallMenu, tenthMenu } from './menu.ts';
import type { Tenant } from './other-tenant.ts';
import { createHttpClient, errorCodeOf, type HttpClient, type HttpRequest } from './request.ts';
import type { Target } from './row.ts';
import { readStream } from './streams.ts';

/** How much data there is. */
export interface Size {
  readonly menu: typeof largestMenu;
  readonly stores: number;
  readonly ordersAStore: number;
  /** Lists of 500 different orders at the large store. */
  readonly orderLists: number;
  /** Events of single orders at the large store, in calls of fifty. */
  readonly events: number;
  readonly stockChanges: number;
  readonly divisor: number;
}

export const wholeSize: Size = {
  menu: largestMenu,
  stores: 60,
  ordersAStore: 500,
  orderLists: 25,
  events: 3_000,
  stockChanges: 30,
  divisor: 1,
};

/** For the tests as well, so it is made in a second. */
export const shortSize: Size = {
  menu: tenthMenu,
  stores: 2,
  ordersAStore: 50,
  orderLists: 1,
  events: 50,
  stockChanges: 3,
  divisor: 5,
};

type WithoutUrl<T extends { readonly url: string }> = Omit<T, 'url'>;

export interface DrillData {
  readonly target: WithoutUrl<Target>;
  readonly tenant: WithoutUrl<Tenant>;
}

const ordersACall = 50;
const ordersAList = 500;
const merchantId = 'attacker';
const otherMerchantId = 'other';
const largeStoreId = 'attacker-0';
const rebateStoreId = 'attacker-rebate';
const otherStoreId = 'other-store';

/** An imported order of a store. */
export function orderOf(storeId: string, at: number) {
  return {
    id: `${storeId}-order-${String(at).padStart(5, '0')}`,
    created_at: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
    store: { id: storeId },
    customer: { name: `Guest ${at % 97} of ${storeId}`, phone: `+351 9${String(at).padStart(8, '0')}` },
    status: 'FULFILLED',
    price: 1200 + at,
    tax: 120,
    items: [{ name: 'Pizza', quantity: 2, price: 600 }],
    ready_by: new Date(Date.UTC(2026, 0, 1) + (at + 40) * 60_000).toISOString(),
    is_read: false,
    in_pos: false,
  };
}

/** What the data is made with, beside the service itself. */
export interface Operator {
  carte(...args: readonly string[]): Promise<string>;
  importDocuments(kind: DocumentKind, documents: Iterable<object>): Promise<void>;
}

/** Makes the attacker's and the other tenant's merchants, stores, menus, orders, history, events and keys. */
export async function makeData(operator: Operator, url: string, size: Size): Promise<DrillData> {
  await importTenants(operator, size);
  const key = (merchant: string, ...options: readonly string[]) =>
    operator.carte('key', 'create', '--name', 'drill', '--merchant', merchant, ...options);
  const read = await key(merchantId);
  const orders = await key(merchantId, '--can', 'orders');
  const write = await key(merchantId, '--write');
  const other = await key(otherMerchantId);
  const otherWrite = await key(otherMerchantId, '--write');
  const client = createHttpClient(url, { connections: 2, limitMs: 120_000 });
  const post = createPost(client);
  await post(write, `/v1/stores/${rebateStoreId}/menu_configuration/`, rebateMenu());
  await post(otherWrite, `/v1/stores/${otherStoreId}/menu_configuration/`, menuOf(smallMenu, 0));
  const firstCursor = await readCursor(post, read);
  const menuCursor = watchMenu(url, read);
  await menuCursor.isOpen;
  const revisions = await makeHistory(post, write, size);
  await makeEvents(post, write, size);
  client.close();
  const target = {
    keys: { read, orders, write, unknown: `carte_${'x'.repeat(43)}` },
    largeStoreId,
    storeIds: idsOf('attacker', size.stores),
    revisions,
    firstCursor,
    firstMenuCursor: await menuCursor.first,
    orderIds: idLists(size),
    rebateStoreId,
    merchantId,
    menuBody: JSON.stringify(menuOf(size.menu, 0)),
    divisor: size.divisor,
  };
  return { target, tenant: { key: other, storeId: otherStoreId } };
}

async function importTenants(operator: Operator, size: Size): Promise<void> {
  const storeIds = idsOf('attacker', size.stores);
  const toStore = (merchant: string) => (id: string) => ({
    id,
    name: { translations: { en: `House ${id}` } },
    city: 'Lisboa',
    timezone: 'UTC',
    merchant: { id: merchant },
  });
  const merchants = [merchantId, otherMerchantId].map(id => ({ id, brand_name: `Brand ${id}` }));
  await operator.importDocuments('merchants', merchants);
  await operator.importDocuments('stores', [
    ...[...storeIds, rebateStoreId].map(toStore(merchantId)),
    toStore(otherMerchantId)(otherStoreId),
  ]);
  const ordersOf = (storeId: string, count: number) => Array.from({ length: count }, (_, at) => orderOf(storeId, at));
  await operator.importDocuments('orders', [
    ...storeIds.flatMap(id => ordersOf(id, id === largeStoreId ? size.orderLists * ordersAList : size.ordersAStore)),
    ...ordersOf(otherStoreId, 20),
  ]);
}

const idLists = (size: Size) =>
  Array.from({ length: size.orderLists }, (_, list) =>
    Array.from({ length: ordersAList }, (_, at) => orderOf(largeStoreId, list * ordersAList + at).id),
  );

type Post = (key: string, path: string, body: object) => Promise<string>;

/** Sends a request until it is neither limited nor shed; throws for any other error. */
function createPost(client: HttpClient): Post {
  return async (key, path, body) => {
    const request: HttpRequest = { path, headers: { 'x-api-key': key }, body: JSON.stringify(body) };
    for (;;) {
      const { status, retryAfter, text } = await client.send(request);
      if (status === 200 && !(path === '/graphql' && errorCodeOf(text))) return text;
      if (status !== 429 && status !== 503) throw new Error(`${path} returned ${status}: ${text.slice(0, 500)}`);
      await sleep((retryAfter ?? 1) * 1_000);
    }
  };
}

async function readCursor(post: Post, key: string): Promise<string> {
  const query = 'query ($id: ID!) { store(id: $id) { orderEventsCursor } }';
  const { data } = JSON.parse(await post(key, '/graphql', { query, variables: { id: largeStoreId } }));
  return data.store.orderEventsCursor;
}

/** Finds the cursor of the first event of the large menu, which is the only way to one. */
function watchMenu(url: string, key: string) {
  const query = 'subscription ($id: ID!) { menuEvents(storeId: $id) { cursor } }';
  const opened = Promise.withResolvers<void>();
  let text = '';
  const reading = readStream(url, {
    key,
    query,
    variables: { id: largeStoreId },
    limitMs: 120_000,
    maxEvents: 1,
    onOpen: opened.resolve,
    onText: chunk => {
      text += chunk;
    },
  });
  const first = reading.then(({ outcome }) => {
    const cursor = /"cursor":"([^"]+)"/.exec(text)?.[1];
    if (cursor === undefined) throw new Error(`The stream of the menu had no event: ${outcome}`);
    return cursor;
  });
  return { isOpen: opened.promise, first };
}

/** Posts the large menu with changed prices and marks items as sold out; returns the revisions, oldest first. */
async function makeHistory(post: Post, key: string, size: Size): Promise<readonly number[]> {
  for (const price of [0, 10, 20]) {
    await post(key, `/v1/stores/${largeStoreId}/menu_configuration/`, menuOf(size.menu, price));
  }
  const setStock = `mutation ($id: ID!, $item: String!) {
    setStock(input: { storeId: $id, items: [{ externalId: $item, inStock: false }] }) { store { id } }
  }`;
  for (const item of idsOf('item', size.stockChanges + 100).slice(100)) {
    await post(key, '/graphql', { query: setStock, variables: { id: largeStoreId, item } });
  }
  const query = 'query ($id: ID!) { store(id: $id) { menuHistory(first: 500) { nodes { revision } } } }';
  const { data } = JSON.parse(await post(key, '/graphql', { query, variables: { id: largeStoreId } }));
  return data.store.menuHistory.nodes.map(({ revision }: { revision: number }) => revision).toReversed();
}

/** Marks orders in small calls, so that each has an event of its own. */
async function makeEvents(post: Post, key: string, size: Size): Promise<void> {
  const query = 'mutation ($ids: [ID!]!) { markOrders(input: { orderIds: $ids, inPos: true }) { orders { id } } }';
  const ids = idLists(size).flat();
  for (let at = 0; at < size.events; at += ordersACall) {
    await post(key, '/graphql', { query, variables: { ids: ids.slice(at, at + ordersACall) } });
  }
}
