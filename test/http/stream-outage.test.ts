import { once } from 'node:events';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config.ts';
import { createOrm } from '../../src/orm.ts';
import { createServer } from '../../src/server/server.ts';
import { sharedApp } from '../support/app.ts';
import { prepare } from '../support/database.ts';
import { urlOf } from '../support/url.ts';
import { startProxy } from './proxy.ts';

const app = await sharedApp();
const store = await app.data.store();
const documents = {
  orderEvents: `subscription { orderEvents(storeId: "${store.id}") { cursor order { id } } }`,
  storeEvents: 'subscription { storeEvents { cursor } }',
};
const fields = ['orderEvents', 'storeEvents'] as const;

/** A second service, whose connections to the database lead through a proxy, but not that of its event feed where `hasFeed`. */
async function serve({ hasFeed = false } = {}) {
  const proxy = await startProxy();
  const orm = createOrm(
    { ...inject('cluster'), host: '127.0.0.1', port: proxy.port, database: String(app.orm.config.get('dbName')) },
    { prepare },
  );
  const server = await createServer(orm, {
    ...readConfig({ CARTE_LOG_LEVEL: 'silent' }),
    prepare,
    keyCacheTtlSeconds: 60,
    listenUrl: hasFeed ? urlOf(app.orm) : undefined,
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await server.close();
    await orm.close();
  });
  const subscribe = (field: keyof typeof documents) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': app.key, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: documents[field] }),
    });
  // The key is cached from then on, as that of a client that reconnects may be.
  await fetch(`${url}/v1/stores/`, { headers: { 'x-api-key': app.key } });
  return { proxy, url, subscribe };
}

/** A connection that is initialised. */
async function connect(url: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  onTestFinished(() => socket.terminate());
  const messages: { readonly type: string }[] = [];
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': app.key } }));
  await once(socket, 'message');
  socket.on('message', data => void messages.push(JSON.parse(String(data))));
  const closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)]);
  const subscribe = (field: keyof typeof documents) =>
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: documents[field] } }));
  return { messages, closed, subscribe };
}

const types = (messages: readonly { readonly type: string }[]) => messages.map(({ type }) => type);
const unavailable = 'The database does not answer at the moment.';

describe('A stream that is opened while the database is away', () => {
  test('is 503 with Retry-After over SSE, and closes a WebSocket with 1013', async () => {
    const { proxy, url, subscribe } = await serve();
    const sockets = await Promise.all(fields.map(async field => ({ field, ...(await connect(url)) })));
    await proxy.shut();
    for (const socket of sockets) socket.subscribe(socket.field);
    for (const response of await Promise.all(fields.map(subscribe))) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await response.json()).toMatchObject({
        errors: [{ message: unavailable, extensions: { code: 'UNAVAILABLE' } }],
      });
    }
    for (const { closed, messages } of sockets) {
      expect(await closed).toEqual([1013, unavailable]);
      expect(messages).toEqual([]);
    }
  });

  test('is opened if the database comes back within seconds', async () => {
    const { proxy, url, subscribe } = await serve();
    const webSocket = await connect(url);
    await proxy.shut();
    const opening = subscribe('orderEvents');
    webSocket.subscribe('orderEvents');
    await proxy.open();
    const response = await opening;
    expect(response.status).toBe(200);
    await expect.poll(() => sumOf(url, 'streams_open'), { timeout: 60_000 }).toBe(2);
    // The streams have their starting point with the first event that they deliver.
    await expect
      .poll(
        async () => {
          await app.data.orders(store, 1);
          return webSocket.messages.length;
        },
        { timeout: 60_000, interval: 200 },
      )
      .toBeGreaterThan(0);
    expect(new Set(types(webSocket.messages))).toEqual(new Set(['next']));
    await response.body?.cancel();
  });
});

/** The value of a metric, over all its labels. */
async function sumOf(url: string, metric: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const values = [...metrics.matchAll(new RegExp(`^carte_${metric}\\S* (\\d+)$`, 'gm'))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

test('an outage of more than two minutes interrupts streams without completing them', async () => {
  const { proxy, url, subscribe } = await serve({ hasFeed: true });
  const webSocket = await connect(url);
  webSocket.subscribe('orderEvents');
  const response = await subscribe('orderEvents');
  await expect.poll(() => sumOf(url, 'streams_open')).toBe(2);
  await app.data.orders(store, 1);
  await expect.poll(() => types(webSocket.messages), { timeout: 60_000 }).toEqual(['next']);
  await proxy.shut();
  // Its feed announces the order, which cannot be loaded.
  await app.data.orders(store, 1);
  await expect.poll(() => sumOf(url, 'events_read_total')).toBe(2);
  const { now } = performance;
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 121_000);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await webSocket.closed).toEqual([1013, 'The stream was interrupted; subscribe again with the last cursor']);
  expect(types(webSocket.messages)).toEqual(['next']);
  const events = await response.text();
  expect(events.match(/^event: .*$/gm)).toEqual(['event: next']);
});
