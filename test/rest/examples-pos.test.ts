import { expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { loadDemo } from '../../src/demo/load.ts';
import { sequenceEvents } from '../../src/events/sequencer.ts';
import { startApp, type TestResponse } from '../support/app.ts';

/** The order of the examples; one that is placed now has another time and id. */
const example = { id: '019cedc9-a50b-7765-a890-bf545cd46f10', created_at: '2026-03-14T19:12:40.331Z' };

/** Opaque, and other ones in each database. */
const cursors = { cursor: 'mn88D1ZlIu6RZS8DE4x27A', next: '8-bqaPDFJnteVrUQwvMXsQ' };

const app = await startApp();
const apiKey = await loadDemo(app.orm);
const headers = { 'x-api-key': apiKey, 'idempotency-key': 'kiosk-2-000418' };
await sequenceEvents((await createReadAccess(app.orm)).primary);

interface Described {
  readonly operationId: string;
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example: object } } };
}

const document = (await app.get('/openapi/pos.json')).body;
const operations = Object.entries<Record<string, Described>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ method, path, ...described })),
);

/** Sends the example of a request, with `given` in place of some of its values. */
async function call(operationId: string, { orderId = '', query = '', given = {} } = {}): Promise<TestResponse['body']> {
  const found = operations.find(operation => operation.operationId === operationId);
  if (!found) throw new Error(`There is no operation ${operationId}`);
  const { method, path, requestBody } = found;
  const url =
    path
      .replace('{store_service_id}', 'lisbon-baixa')
      .replace('{order_service_id}', orderId)
      .replace('{item_external_id}', 'bica') + query;
  const body = { ...requestBody?.content['application/json'].example, ...given };
  const response = await (method === 'post' ? app.post(url, body, headers) : app.get(url, headers));
  expect([operationId, response.status]).toEqual([operationId, 200]);
  return response.body;
}

async function recordResponses() {
  const eventsAfter = ({ next }: { readonly next: string }) => ({ query: `?after=${next}&kinds=ORDER_PLACED&wait=20` });
  const [ofStore, ofAll] = [await call('listStoreEvents'), await call('listEvents')];
  const order = await call('placeStoreOrder');
  const timeOf = (time: string) => moveTime(time, example, order);
  const responses = {
    listStoreEvents: await call('listStoreEvents', eventsAfter(ofStore)),
    listEvents: await call('listEvents', eventsAfter(ofAll)),
    listStoreMenus: await call('listStoreMenus', { query: '?languages=en' }),
    searchStoreItems: await call('searchStoreItems', { query: '?search=pastel&languages=en' }),
    getStoreItem: await call('getStoreItem', { query: '?languages=en' }),
    setStoreStock: await call('setStoreStock'),
    changeStorePrices: await call('changeStorePrices'),
    changeStatus: await call('changeStatus', {
      orderId: order.id,
      given: { ready_by: timeOf('2026-03-14T19:20:00.000Z') },
    }),
    markStoreOrders: await call('markStoreOrders', { given: { order_ids: [order.id] } }),
    quoteStoreOrder: await call('quoteStoreOrder'),
    placeStoreOrder: order,
    setOrdering: await call('setOrdering'),
    setStoreSpecialHours: await call('setStoreSpecialHours'),
    getStoreSpecialHours: await call('getStoreSpecialHours'),
  };
  return fixValues(responses, order);
}

type PlacedOrder = typeof example;

/** The time that is as long after another order. */
const moveTime = (time: string, from: PlacedOrder, to: PlacedOrder) =>
  new Date(Date.parse(time) - Date.parse(from.created_at) + Date.parse(to.created_at)).toISOString();

/** Replaces what differs each time: the id of the order, times since then, and what the database makes of its clock. */
function fixValues(responses: object, order: PlacedOrder): object {
  const microseconds = Date.parse(example.created_at) * 1_000;
  return JSON.parse(JSON.stringify(responses), (name, value) => {
    if (value === order.id) return example.id;
    if (name === 'revision') return microseconds;
    if (name === 'cursor' || name === 'next') return cursors[name];
    if (name === 'at') return example.created_at;
    // As it was requested.
    if (name === 'ready_by') return value;
    const isLater = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && value >= order.created_at;
    return isLater ? moveTime(value, order, example) : value;
  });
}

interface PostmanRequest {
  readonly method: string;
  readonly header: readonly { readonly key: string; readonly value: string; readonly disabled?: boolean }[];
  readonly url: {
    readonly raw: string;
    readonly variable: readonly { readonly key: string; readonly value: string }[];
  };
  readonly body?: { readonly raw: string };
}

interface PostmanItem {
  readonly request: PostmanRequest;
  readonly event?: readonly { readonly script: { readonly exec: readonly string[] } }[];
}

/** Sends the requests of a collection in their order, as Postman does; returns the statuses. */
async function runCollection(set: string) {
  const { variable, item } = (await app.get(`/openapi/${set}.postman.json`)).body;
  const variables = new Map<string, string>(variable.map(({ key, value }: Record<string, string>) => [key, value]));
  variables.set('baseUrl', '').set('apiKey', apiKey);
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => variables.get(name) ?? '');
  const statuses: string[] = [];
  for (const { request, event = [] } of item.flatMap((folder: { item: PostmanItem[] }) => folder.item)) {
    const { method, url, header, body }: PostmanRequest = request;
    const path = url.variable.reduce((raw, { key, value }) => raw.replace(`:${key}`, value), url.raw);
    const sent = header.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, fill(value)]);
    const response = await app.send(method, fill(path), {
      headers: { 'x-api-key': apiKey, ...Object.fromEntries(sent) },
      ...(body && { body: fill(body.raw) }),
    });
    statuses.push(`${response.status} ${url.raw.replace('{{baseUrl}}', '')}`);
    const pm = { collectionVariables: variables, response: { json: () => response.body } };
    for (const { script } of event) new Function('pm', script.exec.join('\n'))(pm);
  }
  return statuses;
}

test('the Postman collection runs from top to bottom, twice, and leaves the menu as it was', async () => {
  const observe = async () => {
    const { body } = await app.graphql('{ store(id: "lisbon-baixa") { ordering { state } } }');
    return [body.data, (await app.get('/v1/stores/lisbon-baixa/menu_configuration/flat', headers)).body];
  };
  const before = await observe();
  for (let run = 0; run < 2; run += 1) {
    expect(await runCollection('pos')).toEqual([
      '200 /pos/v1/stores/:store_service_id/events',
      '200 /pos/v1/events',
      '200 /pos/v1/stores/:store_service_id/ordering',
      '200 /pos/v1/stores/:store_service_id/special_hours',
      '200 /pos/v1/stores/:store_service_id/special_hours',
      '200 /pos/v1/stores/:store_service_id/menus',
      '200 /pos/v1/stores/:store_service_id/items',
      '200 /pos/v1/stores/:store_service_id/items/:item_external_id',
      '200 /pos/v1/stores/:store_service_id/stock',
      '200 /pos/v1/stores/:store_service_id/prices',
      '200 /pos/v1/stores/:store_service_id/orders',
      '200 /pos/v1/stores/:store_service_id/quotes',
      '200 /pos/v1/orders/:order_service_id/status',
      '200 /pos/v1/stores/:store_service_id/orders/mark',
    ]);
  }
  expect(await observe()).toEqual(before);
});

test('the examples of /pos/v1 are what the service responds with the demo data', async () => {
  const recorded = { responses: await recordResponses() };
  expect(Object.keys(recorded.responses).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
  await expect(`${JSON.stringify(recorded, null, 2)}\n`).toMatchFileSnapshot('../../schema/pos/examples.json');
});
