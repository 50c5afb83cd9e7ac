import { connect, type Socket } from 'node:net';
import type { Operator } from '../fair-shares/data.ts';
import { idsOf, menuOf, smallMenu, tenthMenu } from '../fair-shares/menu.ts';
import { createHttpClient, type HttpClient, type HttpRequest } from '../fair-shares/request.ts';

/** A service with two restaurants, a POS and an office with secret keys, and web pages whose keys anyone has. */
export interface House {
  readonly url: string;
  readonly keys: {
    /** Of one store, with all writes. */
    readonly pos: string;
    /** Of all stores. */
    readonly office: string;
    /** Of the other restaurant. */
    readonly neighbour: string;
    /** Of the two stores, and of all stores. */
    readonly pages: readonly [string, string];
  };
  /** Secret keys that no process has seen yet; each is used once. */
  readonly unseen: string[];
  readonly client: HttpClient;
  /** Divides the sizes of attacks in the short form. */
  readonly divisor: number;
}

export const storeId = 'house';
export const neighbourStoreId = 'neighbour';

/** Settings with which the addresses of guests are those that the drill names, and the cache is soon full. */
export const houseSettings = {
  CARTE_TRUST_PROXY: '127.0.0.0/8',
  CARTE_PUBLISHABLE_RATE_LIMIT: '0',
  CARTE_CACHE_BYTES: String(8 * 1024 * 1024),
  CARTE_MCP: 'on',
  CARTE_OWN_ORIGINS: 'https://house.test',
};

/** A request that takes longer is not served. */
const limitMs = 15_000;

export interface HouseSize {
  /** Stores of the office's list, beside the two. */
  readonly stores: number;
  readonly unseen: number;
  readonly divisor: number;
}

export async function openHouse(operator: Operator, url: string, size: HouseSize): Promise<House> {
  const merchants = [storeId, neighbourStoreId];
  await operator.importDocuments(
    'merchants',
    merchants.map(id => ({ id, brand_name: `Brand ${id}` })),
  );
  const toStore = (id: string, merchant: string) => ({
    id,
    name: { translations: { en: `House ${id}` } },
    city: 'Lisboa',
    timezone: 'UTC',
    merchant: { id: merchant },
  });
  await operator.importDocuments('stores', [
    ...merchants.map(id => toStore(id, id)),
    ...idsOf('branch', size.stores).map(id => toStore(id, neighbourStoreId)),
  ]);
  const client = createHttpClient(url, { connections: 1_000, limitMs });
  // One by the command line; the others by it, which is much faster.
  const office = await operator.carte('key', 'create', '--name', 'office', '--all', '--write', '--can', 'admin');
  const issue = async (input: object): Promise<string> => {
    const mutation = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
    const request = graphql({ 'x-api-key': office }, mutation, { input: { name: 'drill', ...input } });
    return JSON.parse((await client.send(request)).text).data.createApiKey.secret;
  };
  const permissions = ['ORDERS', 'STOCK', 'MENU'];
  const page = (scope: object) => issue({ publishable: true, ...scope });
  const keys: House['keys'] = {
    pos: await issue({ storeIds: [storeId], permissions }),
    office,
    neighbour: await issue({ storeIds: [neighbourStoreId], permissions }),
    pages: [await page({ storeIds: merchants }), await page({ merchantIds: merchants })],
  };
  const unseen: string[] = [];
  for (let number = 0; number < size.unseen; number++) unseen.push(await issue({ storeIds: [storeId] }));
  const house: House = { url, keys, unseen, client, divisor: size.divisor };
  await client.send(menuPost(keys.pos, storeId, menuOf(tenthMenu, 0)));
  await client.send(menuPost(keys.neighbour, neighbourStoreId, menuOf(smallMenu, 0)));
  return house;
}

const menuPost = (key: string, store: string, menu: object): HttpRequest => ({
  path: `/v1/stores/${store}/menu_configuration/`,
  headers: { 'x-api-key': key },
  body: JSON.stringify(menu),
});

/** The headers of a guest, who has the key of a page and an address of its own. */
export const guest = ({ keys }: House, number: number, page: 0 | 1 = 0) => ({
  'x-api-key': keys.pages[page],
  'x-forwarded-for': `203.0.${Math.floor(number / 250)}.${1 + (number % 250)}`,
});

export const graphql = (headers: Readonly<Record<string, string>>, query: string, variables?: object): HttpRequest => ({
  path: '/graphql',
  headers,
  body: JSON.stringify({ query, variables }),
});

/** A menu as pages show it; the alias makes it another query, whose response is in no cache. */
export const menuQuery = (alias: string, store = storeId) =>
  `{ store(id: "${store}") { ${alias}: menus { name { text } categories { name { text } items { externalId price { amount } } } } } }`;

/** Megabytes of a menu, which neither the buffers of a connection nor one slice of time hold. */
export const largeQuery = (alias: string, times = 30) =>
  `{ store(id: "${storeId}") { ${Array.from({ length: times }, (_, at) => `${alias}${at}: menus { categories { items { externalId name { translations } description { translations } } } }`).join(' ')} } }`;

/** Sends requests on connections of their own, and reads nothing; returns the function that closes them. */
export function sendWithoutReading({ url }: House, requests: readonly HttpRequest[]): () => void {
  const sockets = requests.map(request => {
    const socket = openConnection(url);
    socket.pause();
    socket.write(rawRequest(request));
    return socket;
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** Announces bodies and sends one byte of each; returns the function that closes the connections. */
export function announceBodies(
  { url }: House,
  keys: readonly string[],
  { each, framing }: { readonly each: number; readonly framing: string },
): () => void {
  const sockets = keys.flatMap(key =>
    Array.from({ length: each }, () => {
      const socket = openConnection(url);
      const head = ['POST /graphql HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', `X-Api-Key: ${key}`];
      socket.write(`${[...head, framing].join('\r\n')}\r\n\r\n${framing.includes('chunked') ? '1\r\n{' : '{'}`);
      return socket;
    }),
  );
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

function openConnection(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname).on('error', () => {});
}

function rawRequest({ path, headers = {}, body = '' }: HttpRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...lines];
  return `${[...head, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`;
}
