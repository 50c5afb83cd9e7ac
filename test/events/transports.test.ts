import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config.ts';
import { createReadAccess } from '../../src/database/pool.ts';
import { createServer } from '../../src/server/server.ts';
import { openStream } from '../../support/streams.ts';
import { startApp } from '../support/app.ts';
import { prepare } from '../support/database.ts';
import { endOfLog } from '../support/events.ts';

const app = await startApp({
  streams: { total: 50, perKey: 20, perAddress: 5, buffer: 5, stallSeconds: 0, costPerSecond: 1_000_000 },
  rateLimit: 1_000,
});
const { primary } = await createReadAccess(app.orm);
const store = await app.data.store();
const webSocketUrl = `${app.url.replace('http', 'ws')}/graphql`;
const document =
  'subscription ($after: String) { orderEvents(storeId: "ID", after: $after) { cursor orderId order { items } } }';
const query = document.replace('ID', store.id);

async function cursorNow({ id } = store): Promise<string> {
  await endOfLog(primary);
  const { body } = await app.graphql(`{ store(id: "${id}") { orderEventsCursor } }`);
  return body.data.store.orderEventsCursor;
}

/** Opens an event stream by GET. */
function get(parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${app.url}/graphql?${new URLSearchParams(parameters)}`, {
    headers: { accept: 'text/event-stream', 'x-api-key': app.key, ...headers },
  });
}

/** Reads an event stream until it has so many events with data. */
async function readEvents({ body }: Response, count: number): Promise<{ id: string | undefined; data: string }[]> {
  let received = '';
  for await (const chunk of body ?? []) {
    received += Buffer.from(chunk).toString();
    const events = [...received.matchAll(/^event: next\n(?:id: (.*)\n)?data: (.*)\n\n/gm)];
    if (events.length >= count) return events.map(([, id, data = '']) => ({ id, data }));
  }
  throw new Error(`The stream ended: ${received}`);
}

test('the cursor of a store is read before its orders, so that a stream after it shows what they do not', async () => {
  await app.data.orders(store, 1);
  await endOfLog(primary);
  const { result, statements } = await app.statements.during(() =>
    app.graphql(`{ store(id: "${store.id}") { orders(first: 500) { nodes { id } } orderEventsCursor } }`),
  );
  const isCursor = (statement: string) => statement.includes('event_log');
  expect(statements.findIndex(isCursor)).toBeLessThan(
    statements.findIndex(statement => statement.includes('customer_name')),
  );
  const [order] = await app.data.orders(store, 1);
  const { nodes } = result.body.data.store.orders;
  expect(nodes).not.toContainEqual({ id: order?.id });
  const response = await get({ query, variables: JSON.stringify({ after: result.body.data.store.orderEventsCursor }) });
  const [event] = await readEvents(response, 1);
  expect(JSON.parse(event?.data ?? '').data.orderEvents.orderId).toBe(order?.id);
});

describe('Server-Sent Events', () => {
  test('are sent uncompressed and uncached, each with its cursor as id, after which Last-Event-ID goes on', async () => {
    const variables = JSON.stringify({ after: await cursorNow() });
    const response = await get({ query, variables }, { 'accept-encoding': 'gzip' });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(response.headers.get('content-encoding')).toBeNull();
    const orders = [...(await app.data.orders(store, 1)), ...(await app.data.orders(store, 1))];
    const [first] = await readEvents(response, 2);
    expect(JSON.parse(first?.data ?? '').data.orderEvents).toMatchObject({ cursor: first?.id, orderId: orders[0]?.id });
    const resumed = await get({ query, variables }, { 'last-event-id': first?.id ?? '' });
    const [second] = await readEvents(resumed, 1);
    expect(JSON.parse(second?.data ?? '').data.orderEvents.orderId).toBe(orders[1]?.id);
  });

  test('have their cursor as id, too, if a fragment selects the field', async () => {
    const variables = JSON.stringify({ after: await cursorNow() });
    const fragment = query.replace(/\{(.*)\}$/, '{ ...Watched } fragment Watched on Subscription {$1}');
    const response = await get({ query: fragment, variables });
    await app.data.orders(store, 1);
    const [event] = await readEvents(response, 1);
    expect(JSON.parse(event?.data ?? '').data.orderEvents.cursor).toBe(event?.id);
  });

  test('end soon for a client that has left before they began', async () => {
    const count = async (metric: string) => {
      const { text: metrics } = await app.get('/metrics');
      return Number(new RegExp(`^carte_streams_${metric}.* (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
    };
    const ended = () => count('ended_total{transport="sse",reason="closed by the client"}');
    await expect.poll(() => count('open{transport="sse"}'), { timeout: 60_000 }).toBe(0);
    const before = await ended();
    const url = `/graphql?${new URLSearchParams({ query })}`;
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    const head = `GET ${url} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nX-Api-Key: ${app.key}\r\n\r\n`;
    socket.write(head, () => socket.destroy());
    await expect.poll(ended, { timeout: 60_000 }).toBeGreaterThan(before);
  });

  test('are not sent to a client that lists them beside JSON for a query', async () => {
    const accept = 'application/graphql-response+json, application/json, text/event-stream, multipart/mixed';
    const { headers, body } = await app.get('/graphql?query={stores{nodes{id}}}', { accept });
    expect(headers.get('content-type')).toContain('json');
    expect(body.data.stores.nodes).toContainEqual({ id: store.id });
  });

  test('report an invalid document as an event, with the limits of queries', async () => {
    const nested = `subscription { storeEvents { store { ${'merchant { stores { nodes { '.repeat(6)} id ${'} } }'.repeat(6)} } } }`;
    const [[deep], [unknown]] = [
      await readEvents(await get({ query: nested }), 1),
      await readEvents(await get({ query: 'subscription { storeEvents { x } }' }), 1),
    ];
    expect(deep?.data).toContain('QUERY_TOO_DEEP');
    expect(unknown?.data).toContain('GRAPHQL_VALIDATION_FAILED');
  });

  test('are available by the hash of a persisted query', async () => {
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } });
    const [missing] = await readEvents(await get({ extensions }), 1);
    expect(missing?.data).toContain('PERSISTED_QUERY_NOT_FOUND');
    const variables = JSON.stringify({ after: await cursorNow() });
    const [order] = await app.data.orders(store, 1);
    for (const parameters of [
      { query, extensions, variables },
      { extensions, variables },
    ]) {
      const [event] = await readEvents(await get(parameters), 1);
      expect(event?.data).toContain(String(order?.id));
    }
  });

  test('of a stream that was opened do not count as a slow request', async () => {
    const variables = JSON.stringify({ after: await cursorNow() });
    const response = await get({ query: query.replace('subscription', 'subscription Watch'), variables });
    const { text: metrics } = await app.get('/metrics');
    expect(metrics).toMatch(/carte_graphql_request_duration_seconds_count\{operation="Watch"\} 1/);
    expect(metrics).toMatch(/carte_http_requests_in_flight 1\n/);
    await response.body?.cancel();
  });
});

describe('WebSocket', () => {
  const closed = async (socket: WebSocket) => {
    const [code, reason] = await once(socket, 'close');
    return [code, String(reason)];
  };
  const init = (key?: string) =>
    JSON.stringify({ type: 'connection_init', ...(key && { payload: { 'x-api-key': key } }) });

  /** Sends messages one after the other, and returns why the connection is closed. */
  async function send(messages: readonly string[], protocols = ['graphql-transport-ws']) {
    const socket = new WebSocket(webSocketUrl, protocols);
    socket.on('open', () => {
      for (const message of messages) socket.send(message);
    });
    return closed(socket);
  }

  test('closes with the codes of its protocol', async () => {
    expect(await send([], [])).toEqual([4406, 'Subprotocol not acceptable']);
    expect(await send(['x'])).toEqual([4400, 'Invalid message received']);
    expect(await send([init(app.key), init(app.key)])).toEqual([4429, 'Too many initialisation requests']);
    const subscribe = JSON.stringify({ type: 'subscribe', id: '1', payload: { query } });
    expect(await send([subscribe])).toEqual([4401, 'Unauthorized']);
    expect(await send([init()])).toEqual([4403, 'The payload of connection_init has no x-api-key.']);
    const unknown = 'The API key in the header x-api-key is not known, or no longer valid.';
    expect(await send([init('carte_x')])).toEqual([4403, unknown]);
    expect(await send(['x'.repeat(300_000)])).toEqual([1009, 'connection_init is longer than 16 KB']);
  });

  test('takes the key in a header, too', async () => {
    const socket = new WebSocket(webSocketUrl, 'graphql-transport-ws', { headers: { 'x-api-key': app.key } });
    await once(socket, 'open');
    socket.send(init());
    const [message] = await once(socket, 'message');
    expect(String(message)).toBe('{"type":"connection_ack"}');
    socket.close();
  });

  test('executes only subscriptions, within the limits of queries', async () => {
    const errorOf = (text: string) => openStream('websocket', app, { query: text }).rest();
    await expect(errorOf('{ stores { nodes { id } } }')).rejects.toMatchObject([
      { message: 'Only subscriptions are executed over WebSocket; send queries and mutations by POST.' },
    ]);
    const aliases = Array.from({ length: 101 }, (_, index) => `a${index}: cursor`).join(' ');
    await expect(errorOf(`subscription { storeEvents { ${aliases} } }`)).rejects.toMatchObject([
      { extensions: { code: 'TOO_MANY_ALIASES' } },
    ]);
  });

  test('finds a persisted query by its hash, with the empty query that the protocol demands', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', 'unknown') } };
    await expect(openStream('websocket', app, { query: '', extensions }).rest()).rejects.toMatchObject([
      { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ]);
  });

  test('asks clients to try again later while the database cannot tell whether a key is valid', async () => {
    const key = await app.newKey();
    const end = await app.orm.em.fork().transactional(async em => {
      await em.execute('lock table api_key in access exclusive mode');
      const closing = send([init(key)]);
      const terminate = `select pg_terminate_backend(pid) from pg_locks
        where relation = 'api_key'::regclass and not granted`;
      await expect.poll(() => em.execute(terminate)).not.toEqual([]);
      return closing;
    });
    expect(end).toEqual([1013, 'The database does not answer at the moment.']);
  });

  test('is refused to pages of other origins than those of CARTE_CORS_ORIGINS', async () => {
    const handshake = async (origin: string) => {
      const socket = new WebSocket(webSocketUrl, 'graphql-transport-ws', { origin });
      onTestFinished(() => socket.terminate());
      socket.on('error', () => {});
      const refused = once(socket, 'unexpected-response').then(([, response]) => text(response));
      return Promise.race([once(socket, 'open').then(() => 'open'), refused]);
    };
    expect(await handshake('https://evil.example')).toContain(
      'https://evil.example is not allowed: no publishable key has it, nor CARTE_CORS_ORIGINS or CARTE_OWN_ORIGINS',
    );
    expect(await handshake(app.url)).toBe('open');
  });

  test('does not get in the way of clients that propose HTTP/2, as Java does', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    const lines = [
      'GET /v1/stores/ HTTP/1.1',
      'Host: x',
      `X-Api-Key: ${app.key}`,
      'Connection: close, Upgrade, HTTP2-Settings',
    ];
    socket.write(`${[...lines, 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAB'].join('\r\n')}\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK/);
  });
});

test('a cursor whose successors are deleted is an error that says what to do', async () => {
  const after = await cursorNow();
  await app.data.orders(store, 2);
  await endOfLog(primary);
  await app.orm.em.fork().execute('delete from event');
  const [event] = await readEvents(await get({ query, variables: JSON.stringify({ after }) }), 1);
  const [{ message, extensions }] = JSON.parse(event?.data ?? '').errors;
  expect(message).toMatch(
    /^after: the events after this cursor are no longer kept, only those after .*begin without "after"/,
  );
  expect(extensions.errors).toMatchObject([{ type: 'cursor_expired' }]);
});

describe('A reader that is too slow', () => {
  const large = [{ name: 'x'.repeat(400_000) }];

  async function count(metric: string): Promise<number> {
    const { text: metrics } = await app.get('/metrics');
    return Number(new RegExp(`^${metric} (\\d+)`, 'm').exec(metrics)?.[1]);
  }

  const deliveredEvents = () => count('carte_stream_events_total');
  const readEventsOfFeed = () => count('carte_events_read_total');

  /** Changes an order so often that the events fill all buffers on the way, and then the stream's own. */
  async function flood(before: number): Promise<void> {
    const [order] = await app.data.orders(store, 1, { items: large });
    const change = () => app.orm.em.fork().execute('update orders set is_read = not is_read where id = ?', [order?.id]);
    // While a stream catches up, events wait in the log.
    while ((await deliveredEvents()) === before) await change();
    // With a stream of another store, the feed reads events also after the slow one was cut.
    const otherStore = await app.data.store();
    const variables = { after: await cursorNow(otherStore) };
    const other = openStream('websocket', app, { query: document.replace('ID', otherStore.id), variables });
    onTestFinished(() => other.close());
    await app.data.orders(otherStore, 1);
    await other.next();
    // Where notifications do not arrive, the feed reads many events at once: the last ones find the others waiting.
    for (const changes of [80, 1, 1, 1]) {
      const read = await readEventsOfFeed();
      for (let changed = 0; changed < changes; changed++) await change();
      await expect.poll(readEventsOfFeed, { timeout: 60_000 }).toBeGreaterThanOrEqual(read + changes);
    }
  }

  test('of Server-Sent Events is cut with a reason', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1').pause();
    const url = `/graphql?${new URLSearchParams({ query, variables: JSON.stringify({ after: await cursorNow() }) })}`;
    const before = await deliveredEvents();
    socket.write(
      `GET ${url} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nX-Api-Key: ${app.key}\r\nConnection: close\r\n\r\n`,
    );
    await flood(before);
    let received = '';
    socket.on('data', chunk => {
      received = `${received}${chunk}`.slice(-1_000);
    });
    socket.resume();
    await once(socket, 'close');
    expect(received).toContain('"code":"STREAM_CUT"');
    expect(received).toMatch(/event: complete\n/);
  });

  test('of a WebSocket is cut with a reason', async () => {
    const socket = new WebSocket(webSocketUrl, 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': app.key } }));
    await once(socket, 'message');
    const before = await deliveredEvents();
    const payload = { query, variables: { after: await cursorNow() } };
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }));
    socket.pause();
    await flood(before);
    const messages: string[] = [];
    socket.on('message', data => {
      messages.push(String(data));
      if (messages.at(-1)?.includes('complete')) socket.close();
    });
    socket.resume();
    await once(socket, 'close');
    expect(messages.at(-2)).toContain('"code":"STREAM_CUT"');
    expect(messages.at(-1)).toBe('{"id":"1","type":"complete"}');
  });
});

test('a shutdown ends streams at once, also of a client that does not read, and without completing them, so that clients connect again', async () => {
  const server = await createServer(app.orm, { ...readConfig({ CARTE_LOG_LEVEL: 'silent' }), prepare });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const streams = (['sse', 'websocket'] as const).map(transport =>
    openStream(transport, { url, key: app.key }, { query: query.replace('order { items }', '') }),
  );
  const ends = streams.map(stream =>
    stream.rest().then(
      () => 'complete',
      (error: unknown) => error,
    ),
  );
  const opened = async () =>
    [...(await (await fetch(`${url}/metrics`)).text()).matchAll(/^carte_streams_open\{.*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  while ((await opened()) !== 2);
  const delivered = async () =>
    Number(/^carte_stream_events_total (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);
  const stuck = connect(Number(new URL(url).port), '127.0.0.1').pause();
  const path = `/graphql?${new URLSearchParams({ query })}`;
  stuck.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nX-Api-Key: ${app.key}\r\n\r\n`);
  while ((await opened()) !== 3);
  const [order] = await app.data.orders(store, 1, { items: [{ name: 'x'.repeat(400_000) }] });
  const change = () => app.orm.em.fork().execute('update orders set is_read = not is_read where id = ?', [order?.id]);
  for (let count = 1; count < 20; count++) await change();
  while ((await delivered()) < 44);
  expect(await server.drain.finish(10_000)).toBe(0);
  stuck.destroy();
  const [sse, webSocket] = await Promise.all(ends);
  expect(String(sse)).toContain('NetworkError');
  expect(webSocket).toMatchObject({ code: 1001 });
  await server.close();
});
