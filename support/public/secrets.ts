import { seededRandom } from '../../src/demo/random.ts';
import { openStream } from '../streams.ts';
import { graphql, type House, neighbourStoreId, storeId } from './house.ts';
import type { Scene } from './scenes.ts';

type Check = NonNullable<Scene['check']>;

const withKey = (key: string) => ({ 'x-api-key': key });

async function send(house: House, key: string, query: string, variables?: object): Promise<string> {
  return (await house.client.send(graphql(withKey(key), query, variables))).text;
}

async function issueKey(house: House, input: object): Promise<string> {
  const mutation = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
  const text = await send(house, house.keys.office, mutation, { input: { name: 'drill', ...input } });
  return JSON.parse(text).data.createApiKey.secret;
}

const saveStore = (house: House, input: object) =>
  send(house, house.keys.office, 'mutation ($input: SaveStoreInput!) { saveStore(input: $input) { store { id } } }', {
    input: { name: { translations: { en: 'Sold' } }, ...input },
  });

/** A store is sold while the key of the seller, which sees another store as well, has a stream open. */
const storeIsSold: Check = async (house, seed) => {
  const sold = { id: `sold${seed}` };
  const secret = `buyer${seed}`;
  await saveStore(house, { ...sold, merchant: { id: storeId } });
  const key = await issueKey(house, { storeIds: [sold.id, neighbourStoreId] });
  const query = 'subscription { storeEvents { storeId store { contacts } } }';
  const stream = openStream(seed.length % 2 === 0 ? 'sse' : 'websocket', { url: house.url, key }, { query });
  const change = (city: string) =>
    saveStore(house, {
      ...{ id: neighbourStoreId, address: { city }, timezone: 'UTC' },
      merchant: { id: neighbourStoreId },
    });
  try {
    // Repeated, since it may come before the stream is open.
    const first = stream.next();
    const timer = setInterval(() => void change(`Porto ${performance.now()}`), 100);
    await first.finally(() => clearInterval(timer));
    await saveStore(house, { ...sold, contacts: { name: secret }, merchant: { id: neighbourStoreId } });
    await change(`Faro ${seed}`);
    await change(`Beja ${seed}`);
    const seen: string[] = [];
    do seen.push(JSON.stringify(await stream.next()));
    while (!seen.at(-1)?.includes(neighbourStoreId));
    seen.push(JSON.stringify(await stream.next()));
    return seen.join().includes(secret) ? ['the stream of the seller has the contacts of the buyer'] : [];
  } finally {
    stream.close();
  }
};

/** A key that writes and does not read orders or history, and one that reads orders alone and searches. */
const writesAndSearches: Check = async (house, seed) => {
  const menu = await send(
    house,
    house.keys.pos,
    `{ store(id: "${storeId}") { menus { categories { items { externalId } } } } }`,
  );
  const item = /"externalId":"([^"]+)"/.exec(menu)?.[1];
  const place = (name: string, fields: string) => `mutation { placeOrder(input: {
    storeId: "${storeId}", idempotencyKey: "${seed}", customer: { name: "${name}", phone: "" }, lines: [{ itemExternalId: "${item}" }]
  }) { ${fields} } }`;
  const permissions = ['ORDERS', 'STOCK', 'MENU', 'READ_MENUS'];
  const writer = await issueKey(house, { storeIds: [storeId], permissions });
  const reader = await issueKey(house, { merchantIds: [storeId], permissions: ['READ_ORDERS'] });
  await saveStore(house, { id: `found${seed}`, merchant: { id: storeId }, address: { city: `Secret ${seed}` } });
  const [restored, found, first, again] = [
    await send(
      house,
      writer,
      `mutation { restoreMenuConfiguration(input: { storeId: "${storeId}", revision: 1 }) { store { id } } }`,
    ),
    await send(house, reader, `{ stores(first: 1, search: "Secret") { totalCount } }`),
    await send(house, house.keys.pos, place('x', 'order { id }')),
    await send(house, writer, place('y', '__typename')),
  ];
  const id = /"id":"([^"]+)"/.exec(first)?.[1];
  return [
    ...(restored.includes('FORBIDDEN') ? [] : [`restoring needs no permission to read history: ${restored}`]),
    ...(/"totalCount":[1-9]/.test(found) ? ['a key finds a store by a city that it may not read'] : []),
    ...(id && again.includes(id) ? ['a repeated idempotency key tells the id of the order'] : []),
  ];
};

/** A page of another host whose name resolves to the service (DNS rebinding). */
const foreignHosts: Check = async (house, seed) => {
  const { pick } = seededRandom(seed);
  const { port } = new URL(house.url);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const accept = 'application/json, text/event-stream';
  const failures: string[] = [];
  for (let attempt = 0; attempt < 10; attempt++) {
    const host = `${pick(['evil', 'EVIL', '127.0.0.1.evil', 'localhost.evil'])}.test${pick(['', `:${port}`])}`;
    const headers = { ...withKey(house.keys.pos), accept, host, origin: `http://${host}` };
    const { status } = await house.client.send({ path: '/mcp', headers, body });
    if (status !== 403) failures.push(`/mcp answers a page of ${host} with ${status}`);
  }
  return failures;
};

/** What a cursor may be read as: eight of its bytes as a number, or its digits. */
function numbersIn(cursor: string): number[] {
  const bytes = Buffer.from(cursor, 'base64url');
  const offsets = Array.from({ length: Math.max(0, bytes.length - 7) }, (_, offset) => offset);
  const digits = bytes.toString('latin1').match(/\d{8,}/g) ?? [];
  return [...offsets.map(offset => Number(bytes.readBigUInt64BE(offset))), ...digits.map(Number)];
}

/** Positions in the log are microseconds since 1970. */
const cursorsOfEvents: Check = async (house, seed) => {
  const { pos, neighbour } = house.keys;
  const read = async (path: string) => JSON.parse((await house.client.send({ path, headers: withKey(pos) })).text);
  const first = await read(`/pos/v1/stores/${storeId}/events`);
  await send(
    house,
    neighbour,
    `mutation { placeOrder(input: { storeId: "${neighbourStoreId}", idempotencyKey: "${seed}",
    customer: { name: "x", phone: "" }, lines: [] }) { problems { code } } }`,
  );
  const second = await read(`/pos/v1/stores/${storeId}/events?after=${first.next}`);
  const day = 86_400_000;
  const isTime = (number: number) => [1, 1_000].some(factor => Math.abs(number / factor - Date.now()) < day);
  const readable = [first.next, second.next].filter(cursor => numbersIn(cursor).some(isTime));
  return readable.map(cursor => `the cursor ${cursor} tells a position in the log`);
};

const scene = (name: string, check: Check): Scene => ({ name, begin: () => () => {}, honest: () => [], check });

/** What one must not learn, by whatever way; nobody waits here. */
export const secretScenes: readonly Scene[] = [
  scene('a store that is sold while a stream is open', storeIsSold),
  scene('keys that write and search what they may not read', writesAndSearches),
  scene('pages of foreign hosts at /mcp', foreignHosts),
  scene('cursors of events', cursorsOfEvents),
];
