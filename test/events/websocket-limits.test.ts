import { once } from 'node:events';
import { connect } from 'node:net';
import { createClient } from 'graphql-ws';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startApp } from '../support/app.ts';

const perKey = 20;
const app = await startApp({
  streams: { total: 50, perKey, perAddress: 5, costPerSecond: 50_000, buffer: 5, stallSeconds: 10 },
});
const store = await app.data.store();
const url = `${app.url.replace('http', 'ws')}/graphql`;
const init = JSON.stringify({ type: 'connection_init', payload: { 'x-api-key': app.key } });
const ping = JSON.stringify({ type: 'ping' });
const subscribe = (id: number) =>
  JSON.stringify({
    type: 'subscribe',
    id: String(id),
    payload: { query: `subscription { orderEvents(storeId: "${store.id}") { cursor } }` },
  });

interface Client {
  readonly socket: WebSocket;
  readonly messages: readonly string[];
  /** Control frames from the service. */
  pongs(): number;
  /** Why the service has closed the connection. */
  readonly closed: Promise<readonly [number, string]>;
}

async function open(): Promise<Client> {
  const socket = new WebSocket(url, 'graphql-transport-ws');
  onTestFinished(() => socket.terminate());
  socket.on('error', () => {});
  const messages: string[] = [];
  let pongs = 0;
  socket.on('message', data => void messages.push(String(data)));
  socket.on('pong', () => {
    pongs += 1;
  });
  const closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)] as const);
  await once(socket, 'open');
  return { socket, messages, closed, pongs: () => pongs };
}

async function openInitialised(): Promise<Client> {
  const client = await open();
  client.socket.send(init);
  await once(client.socket, 'message');
  return client;
}

describe('Before connection_init', () => {
  test.each([
    ['a ping', ping, [4401, 'Unauthorized']],
    ['a subscription', subscribe(1), [4401, 'Unauthorized']],
    ['the end of a subscription', '{"type":"complete","id":"1"}', [4401, 'Unauthorized']],
    ['any other text', 'x', [4400, 'Invalid message received']],
    ['an initialisation of more than 16 KB', init.padEnd(17 * 1024), [1009, 'connection_init is longer than 16 KB']],
  ])('%s closes the connection', async (_name, message, expected) => {
    const { socket, closed, messages } = await open();
    socket.send(message);
    expect(await closed).toEqual(expected);
    expect(messages).toEqual([]);
  });

  test('nothing else is accepted until it is acknowledged', async () => {
    const { socket, closed } = await open();
    socket.send(init);
    socket.send(ping);
    expect(await closed).toEqual([4401, 'Unauthorized']);
  });

  test('a few control frames are answered, more close the connection', async () => {
    const client = await open();
    for (let count = 0; count < 4; count++) client.socket.ping();
    await expect.poll(client.pongs).toBe(4);
    for (let count = 0; count < 2; count++) client.socket.ping();
    expect(await client.closed).toEqual([1008, 'Too many control frames']);
  });

  // A masked frame with an empty payload.
  test.each([
    ['pings', 0x89],
    ['pongs', 0x8a],
  ])('100,000 %s cost next to nothing', async (_name, opcode) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    const lines = ['GET /graphql HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'];
    lines.push('Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`);
    socket.write(`${[...lines, 'Sec-WebSocket-Protocol: graphql-transport-ws'].join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    const frames = Buffer.concat(Array.from({ length: 100_000 }, () => Buffer.from([opcode, 0x80, 0, 0, 0, 0])));
    const received: Buffer[] = [];
    socket.on('data', chunk => void received.push(chunk));
    const closed = once(socket, 'close');
    const before = process.cpuUsage();
    socket.write(frames);
    await closed;
    const { user, system } = process.cpuUsage(before);
    // With the client's own share; it was 2.4 s when each ping was answered.
    expect(user + system).toBeLessThan(500_000);
    const answers = Buffer.concat(received);
    expect(answers.subarray(-25).toString()).toContain('Too many control frames');
    expect(answers.length).toBeLessThan(100);
  });

  test('connections that wait do not hinder others: the oldest one gives way', async () => {
    const oldest = await open();
    const others = await Promise.all(Array.from({ length: 249 }, open));
    const { socket, messages } = await open();
    expect(await oldest.closed).toEqual([1013, 'Too many connections are not initialised']);
    socket.send(init);
    await expect.poll(() => messages).toEqual(['{"type":"connection_ack"}']);
    expect(others.filter(other => other.socket.readyState !== other.socket.OPEN)).toEqual([]);
    for (const other of others) other.socket.terminate();
  });
});

describe('After connection_init', () => {
  test('as many streams as a key may have are opened and closed at once', async () => {
    const { socket, messages } = await openInitialised();
    for (let id = 0; id < perKey; id++) socket.send(subscribe(id));
    for (let id = 0; id < perKey; id++) socket.send(JSON.stringify({ type: 'complete', id: String(id) }));
    for (let count = 0; count < 40; count++) socket.send(ping);
    const pongs = () => messages.filter(message => message === '{"type":"pong"}').length;
    await expect.poll(pongs, { timeout: 60_000 }).toBe(40);
    expect(socket.readyState).toBe(socket.OPEN);
  });

  test('a client of graphql-ws stays connected with far more pings than it sends by default', async () => {
    const client = createClient({
      url,
      webSocketImpl: WebSocket,
      connectionParams: { 'x-api-key': app.key },
      keepAlive: 60,
      lazy: false,
    });
    onTestFinished(() => void client.dispose());
    let pongs = 0;
    const closed: unknown[] = [];
    client.on('pong', () => {
      pongs += 1;
    });
    client.on('closed', event => void closed.push(event));
    // A connection that a busy process did not initialise in time is replaced; the pings are those of one connection.
    client.on('connected', () => {
      pongs = 0;
      closed.length = 0;
    });
    await expect.poll(() => pongs, { timeout: 60_000 }).toBeGreaterThanOrEqual(20);
    expect(closed).toEqual([]);
  });

  test('more messages than that close the connection', async () => {
    const { socket, closed, messages } = await openInitialised();
    for (let count = 0; count < 1_000; count++) socket.send(ping);
    expect(await closed).toEqual([4429, 'Too many requests']);
    expect(messages.length).toBeLessThan(120);
  });

  test('so do control frames', async () => {
    const client = await openInitialised();
    for (let count = 0; count < 40; count++) client.socket.ping();
    await expect.poll(client.pongs).toBe(40);
    for (let count = 0; count < 100; count++) client.socket.ping();
    expect(await client.closed).toEqual([1008, 'Too many control frames']);
    expect(client.pongs()).toBeLessThan(60);
  });

  test('a message may have 256 KB', async () => {
    const { socket, messages, closed } = await openInitialised();
    socket.send(JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(200_000) } }));
    await expect.poll(() => messages.length).toBe(2);
    socket.send(JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(300_000) } }));
    expect(await closed).toEqual([1009, '']);
  });
});
