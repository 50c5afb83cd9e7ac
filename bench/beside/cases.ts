import { readFileSync } from 'node:fs';
import type { Request } from '../support/client.ts';
import type { menuOf } from '../support/menu.ts';
import { busiestStore, menuBody, orderAt, type Size, storeIds, storesOf } from './data.ts';

/** `before` is another checkout of Carte, and `again` a second process of that checkout, which shows how far equal programs differ. */
export type ServerName = 'carte' | 'limit' | 'sql' | 'before' | 'again';

/** Requests differ, since Carte coalesces equal concurrent requests of a caller. */
export interface Case {
  readonly name: string;
  readonly servers: readonly ServerName[];
  readonly requests: (server?: ServerName) => readonly Request[];
  /** Each server gets the ETag that it returned, and responds with 304. */
  readonly conditional?: true;
  /** Posted to Carte before each series of requests, outside of the measurement, alternately. */
  readonly changes?: (server: ServerName) => readonly (readonly Request[])[];
  /** Posted through another process of Carte, since a write primes the cache of its own process. */
  readonly elsewhere?: true;
}

const all: readonly ServerName[] = ['carte', 'limit', 'sql'];
const withoutSql: readonly ServerName[] = ['carte', 'limit'];

const configurationOf = (storeId: string) => `/v1/stores/${storeId}/menu_configuration/`;
const trees = (stores: readonly string[], headers: Readonly<Record<string, string>> = {}) =>
  stores.map(id => ({ path: configurationOf(id), headers }));
const posts = (size: Size, version: number) =>
  storesOf[size].written.map(id => ({ path: configurationOf(id), body: menuBody(size, id, version) }));
const stockChanges = (size: Size, inStock: boolean) =>
  storesOf[size].written.map(store => ({
    path: '/graphql',
    body: JSON.stringify({ query: queryOf('stock'), variables: { store, items: [{ externalId: 'item-0', inStock }] } }),
  }));
const lists = (stores: readonly string[], filter = '') =>
  stores.map(id => ({ path: `/v1/stores/${id}/orders/?page_size=20${filter}` }));
/** Times before all orders, more than there are requests in a run: as a POS asks for orders since a moment ago, of which no two responses are kept. */
const moments = (server: string | undefined) =>
  upTo(server ? 30_000 : 8).map(at => new Date(Date.UTC(2026, 0, 1) + at).toISOString());
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);

const queryOf = (name: string) => readFileSync(new URL(`../queries/${name}.graphql`, import.meta.url), 'utf8');

function queries(name: string, stores: readonly string[]): Request[] {
  const query = queryOf(name);
  return stores.map(store => ({ path: '/graphql', body: JSON.stringify({ query, variables: { store } }) }));
}

const configurations: readonly Case[] = [
  { name: 'tree, mid', servers: all, requests: () => trees(storesOf.mid.read) },
  { name: 'tree, small', servers: all, requests: () => trees(storesOf.small.read) },
  {
    name: 'flat, mid',
    servers: all,
    requests: () => storesOf.mid.read.map(id => ({ path: `${configurationOf(id)}flat` })),
  },
  { name: 'tree, 304', servers: all, conditional: true, requests: () => trees(storesOf.mid.read) },
  { name: 'tree, br', servers: all, requests: () => trees(storesOf.mid.read, { 'accept-encoding': 'br' }) },
];

/** 48 stores with some hundred orders each, and the one with half of all orders. */
const listed = [...storeIds.slice(1, 49), busiestStore];

const orders = (total: number): readonly Case[] => [
  { name: 'order list', servers: all, requests: () => lists(listed) },
  { name: 'order list, status', servers: all, requests: () => lists(listed, '&status=FULFILLED') },
  {
    name: 'order list, deep page',
    servers: all,
    // At about four fifths of the orders of the busiest store.
    requests: () => upTo(64).flatMap(at => lists([busiestStore], `&page_index=${Math.floor(total / 50) - at}`)),
  },
  {
    name: 'order list, other times',
    servers: ['carte'],
    requests: server =>
      moments(server).map(time => ({
        path: `/v1/stores/${listed[Date.parse(time) % listed.length]}/orders/?page_size=20&start_time=${time}`,
      })),
  },
  { name: 'order list, all the same', servers: all, requests: () => lists([busiestStore]) },
  {
    name: 'one order',
    servers: all,
    requests: () => upTo(512).map(at => ({ path: `/v1/orders/${orderAt(Math.floor((at * total) / 512), total).id}` })),
  },
];

const stores: readonly Case[] = [
  { name: 'one store', servers: all, requests: () => storeIds.map(id => ({ path: `/v1/stores/${id}` })) },
  // There are no more than 100 stores and 20 merchants: a larger limit is a different request with the same response.
  { name: 'stores', servers: all, requests: () => upTo(32).map(at => ({ path: `/v1/stores/?limit=${100 + at}` })) },
  {
    name: 'merchants',
    servers: all,
    requests: () => upTo(32).map(at => ({ path: `/v1/merchants/?limit=${20 + at}` })),
  },
];

const graph: readonly Case[] = [
  { name: 'GraphQL, whole tree', servers: withoutSql, requests: () => queries('tree', storesOf.mid.read) },
  { name: 'GraphQL, narrow', servers: withoutSql, requests: () => queries('narrow', storesOf.mid.read) },
  { name: 'GraphQL, orders', servers: withoutSql, requests: () => queries('orders', listed) },
  {
    name: 'GraphQL, orders, other times',
    servers: ['carte'],
    requests: server => {
      const query = queryOf('orders');
      return moments(server).map(startTime => ({
        path: '/graphql',
        body: JSON.stringify({ query, variables: { store: listed[Date.parse(startTime) % listed.length], startTime } }),
      }));
    },
  },
];

/** Servers that post to the same stores post different menus, so that each post changes something. */
const versionsOf = (server: ServerName | undefined) => (server === 'before' ? 10 : server === 'again' ? 20 : 0);

const writes = (['mid', 'small'] as const).flatMap((size): Case[] => {
  const afterPost = {
    servers: ['carte', 'sql'] as const,
    requests: () => trees(storesOf[size].written),
    changes: (server: ServerName) => [posts(size, 3 + versionsOf(server)), posts(size, 4 + versionsOf(server))],
  };
  return [
    {
      name: `POST, ${size}`,
      servers: ['carte'],
      requests: server => [1, 2].flatMap(version => posts(size, version + versionsOf(server))),
    },
    {
      name: `stock, ${size}`,
      servers: ['carte'],
      requests: () => [false, true].flatMap(inStock => stockChanges(size, inStock)),
    },
    { name: `first read after POST, ${size}`, ...afterPost },
    { name: `the same, posted elsewhere, ${size}`, ...afterPost, elsewhere: true },
  ];
});

/** Tomorrow at noon, when the menus are available. */
const noon = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 43_200_000);

/** Orders of two items at the stores with a small menu, each with a key of its own. */
function placements(server: string, count: number): Request[] {
  const query = queryOf('place-order');
  const customer = { name: 'Ana Lima', phone: '+351 912 345 678' };
  const linesOf = new Map(storesOf.small.read.map(id => [id, linesFrom(menuBody('small', id))]));
  return upTo(count).map(at => {
    const storeId = storesOf.small.read[at % storesOf.small.read.length] ?? '';
    const idempotencyKey = `${server} ${at}`;
    const input = { storeId, idempotencyKey, customer, readyBy: noon, lines: linesOf.get(storeId) };
    return { path: '/graphql', body: JSON.stringify({ query, variables: { input } }) };
  });
}

function linesFrom(menu: string): object[] {
  const { items, modifier_groups: groups }: ReturnType<typeof menuOf> = JSON.parse(menu);
  return items
    .filter(item => item.in_stock)
    .slice(0, 2)
    .map(item => {
      const group = groups.find(({ external_id }) => external_id === item.modifier_external_ids[0]);
      const modifierItemExternalId = group?.modifier_item_external_ids[0];
      const modifiers = [{ modifierGroupExternalId: group?.external_id, modifierItemExternalId }];
      return { itemExternalId: item.external_id, quantity: 2, modifiers };
    });
}

const placing: readonly Case[] = [
  {
    name: 'GraphQL, place order',
    servers: ['carte'],
    // More than are sent in a run, since a repeated one is found instead of placed; of those that are compared, a few.
    requests: server => placements(server ?? 'compared', server ? 30_000 : 8),
  },
];

export const casesWith = (totalOrders: number): readonly Case[] => [
  ...configurations,
  ...orders(totalOrders),
  ...stores,
  ...graph,
  ...placing,
  ...writes,
];
