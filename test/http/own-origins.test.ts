import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createIsOwnOrigin } from '../../src/server/own-origins.ts';
import { startApp } from '../support/app.ts';

type Headers = Readonly<Record<string, string | string[]>>;
type App = Awaited<ReturnType<typeof start>>;

async function start(environment: Record<string, string> = {}) {
  const { http, trustedProxies } = readConfig(environment);
  const app = await startApp({ http, trustedProxies, mcp: { enabled: true, resultBytes: 4096 } });
  const origins = ['https://menu.example'];
  return {
    port: Number(new URL(app.url).port),
    secret: app.key,
    publishable: await app.newKey({ publishable: true, permissions: [], origins }),
  };
}

async function send({ port }: App, method: string, path: string, headers: Headers, body?: string) {
  const sent = request({ port, host: '127.0.0.1', method, path, headers, agent: false }).end(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('upgrade', resolve).on('error', reject);
  });
  if (response.statusCode === 101) response.socket.destroy();
  else await text(response);
  return response;
}

/** Whether a page is taken for one of the service: for a tool, by a publishable key, by a secret one, and for a WebSocket. */
async function isOwn(app: App, headers: Headers): Promise<boolean[]> {
  const json = { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const query = JSON.stringify({ query: '{ viewer { name } }' });
  const upgrade = {
    ...headers,
    ...{ connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    ...{ 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'sec-websocket-protocol': 'graphql-transport-ws' },
  };
  const [tool, guest, secret, socket] = await Promise.all([
    send(app, 'POST', '/mcp', { ...json, 'x-api-key': app.secret }, list),
    send(app, 'POST', '/graphql', { ...json, 'x-api-key': app.publishable }, query),
    send(app, 'POST', '/graphql', { ...json, 'x-api-key': app.secret }, query),
    send(app, 'GET', '/graphql', upgrade),
  ]);
  for (const { statusCode } of [tool, guest]) expect([200, 403]).toContain(statusCode);
  expect([101, 403]).toContain(socket.statusCode);
  return [
    tool.statusCode === 200,
    guest.statusCode === 200,
    secret.headers['x-carte-warning'] === undefined,
    socket.statusCode === 101,
  ];
}

const [own, foreign] = [Array(4).fill(true), Array(4).fill(false)];
const plain = await start();
const proxied = await start({ CARTE_TRUST_PROXY: '127.0.0.0/8' });
const elsewhere = await start({ CARTE_TRUST_PROXY: '10.0.0.0/8' });
const named = await start({ CARTE_OWN_ORIGINS: 'https://carte.example', CARTE_TRUST_PROXY: '127.0.0.0/8' });

describe('By default, own pages are those of the address listened on', () => {
  test.each(['localhost', '127.0.0.1', '[::1]'])('under %s, with the port of the connection', async name => {
    const origin = `http://${name}:${plain.port}`;
    expect(await isOwn(plain, { host: `${name}:${plain.port}`, origin })).toEqual(own);
    expect(await isOwn(plain, { host: 'LOCALHOST', origin })).toEqual(own);
    for (const other of [
      `https://${name}:${plain.port}`,
      `http://${name}`,
      `http://${name}:${plain.port - 1}`,
      `http://${name}:${plain.port}/`,
      `HTTP://${name}:${plain.port}`,
    ]) {
      expect(await isOwn(plain, { host: new URL(other).host, origin: other }), other).toEqual(foreign);
    }
  });

  test.each([
    ['evil.example', 'http://evil.example'],
    ['evil.example:PORT', 'http://evil.example:PORT'],
    ['EVIL.example:PORT', 'http://evil.example:PORT'],
    ['evil.example', 'https://evil.example'],
    ['evil.example:443', 'https://evil.example'],
    ['evil.example.', 'http://evil.example.'],
    ['localhost.evil.example:PORT', 'http://localhost.evil.example:PORT'],
    ['localhost.:PORT', 'http://localhost.:PORT'],
    ['192.0.2.7:PORT', 'http://192.0.2.7:PORT'],
    ['[2001:db8::1]:PORT', 'http://[2001:db8::1]:PORT'],
    ['null', 'null'],
    ['', 'file://'],
    ['localhost:PORT', 'null'],
    ['localhost:PORT', 'http://evil.example:PORT'],
  ])('a Host "%s" that equals the origin %s makes it none', async (host, origin) => {
    const withPort = (value: string) => value.replace('PORT', String(plain.port));
    const headers = { host: withPort(host), origin: withPort(origin) };
    expect(await isOwn(plain, headers)).toEqual(foreign);
    const name = new URL(headers.origin === 'null' ? 'http://null' : headers.origin).host;
    for (const app of [plain, elsewhere]) {
      expect(await isOwn(app, { ...headers, 'x-forwarded-host': name })).toEqual(foreign);
    }
    const forwarded = { forwarded: `for=192.0.2.1;host="${name}"`, 'x-original-host': name, 'x-host': name };
    expect(await isOwn(plain, { ...headers, ...forwarded })).toEqual(foreign);
  });

  test('several Hosts are none', async () => {
    for (const hosts of [
      ['evil.example', `localhost:${plain.port}`],
      [`localhost:${plain.port}`, 'evil.example'],
    ]) {
      const socket = connect(plain.port, '127.0.0.1');
      const lines = [...hosts.map(host => `Host: ${host}`), 'Origin: http://evil.example', 'Connection: close'];
      socket.end(
        `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\nx-api-key: ${plain.secret}\r\nContent-Length: 0\r\n\r\n`,
      );
      const [data] = await once(socket, 'data');
      expect(String(data)).toMatch(/^HTTP\/1\.1 400 /);
      socket.destroy();
    }
  });
});

describe('From a proxy in CARTE_TRUST_PROXY, they are those of the host that it was reached under', () => {
  test.each([
    ['https://carte.example', { 'x-forwarded-host': 'carte.example' }],
    ['https://carte.example', { 'x-forwarded-host': 'CARTE.example:443' }],
    ['https://carte.example:8443', { 'x-forwarded-host': 'carte.example:8443' }],
    ['https://carte.example', { 'x-forwarded-host': 'first.example, carte.example' }],
    ['https://carte.example', { host: 'carte.example' }],
    ['https://[2001:db8::1]', { 'x-forwarded-host': '[2001:DB8::1]' }],
  ] as const)('%s by %j', async (origin, headers) => {
    expect(await isOwn(proxied, { host: 'carte:4000', origin, ...headers })).toEqual(own);
  });

  test.each([
    ['https://evil.example', { 'x-forwarded-host': 'carte.example' }],
    ['https://evil.example', { 'x-forwarded-host': 'evil.example, carte.example' }],
    ['https://evil.example', { host: 'evil.example', 'x-forwarded-host': 'carte.example' }],
    ['https://evil.example', { forwarded: 'host=evil.example' }],
    ['https://carte.example:8443', { 'x-forwarded-host': 'carte.example' }],
    ['null', { 'x-forwarded-host': 'null' }],
    ['file://', { 'x-forwarded-host': '' }],
  ] as const)('not %s by %j', async (origin, headers) => {
    expect(await isOwn(proxied, { host: 'carte:4000', origin, ...headers })).toEqual(foreign);
  });

  test('and directly, those of the address listened on', async () => {
    expect(await isOwn(proxied, { host: 'carte:4000', origin: `http://localhost:${proxied.port}` })).toEqual(own);
  });
});

test('With CARTE_OWN_ORIGINS they are those, and no others', async () => {
  const host = 'other.example';
  expect(await isOwn(named, { host, origin: 'https://carte.example' })).toEqual(own);
  for (const origin of [
    'http://carte.example',
    'https://carte.example:8443',
    'https://carte.example.',
    'https://CARTE.example',
    'https://other.example',
    `http://localhost:${named.port}`,
  ]) {
    expect(await isOwn(named, { host, 'x-forwarded-host': host, origin }), origin).toEqual(foreign);
  }
  expect(() => readConfig({ CARTE_OWN_ORIGINS: 'https://carte.example/,*,file://' })).toThrow(
    'CARTE_OWN_ORIGINS has "https://carte.example/"; an origin is such as https://carte.example\n' +
      '  CARTE_OWN_ORIGINS has "*"; an origin is such as https://carte.example\n' +
      '  CARTE_OWN_ORIGINS has "file://"; an origin is such as https://carte.example',
  );
});

describe('A service that listens on every address', () => {
  const { http, trustedProxies } = readConfig({});
  const warnings: unknown[] = [];
  const isOwnOrigin = createIsOwnOrigin(
    { host: '0.0.0.0', http, trustedProxies },
    { warn: (...line: unknown[]) => warnings.push(line) },
  );
  const isOwnAt = (localAddress: string, headers: Headers) =>
    isOwnOrigin({ headers, socket: { localAddress, localPort: 80, remoteAddress: '10.0.0.9' } } as never);

  test.each([
    ['10.0.0.5', '10.0.0.5'],
    ['::ffff:10.0.0.5', '10.0.0.5'],
    ['2001:db8::5', '[2001:db8::5]'],
    ['10.0.0.5', 'localhost'],
  ])('has its pages where the connection leads to: %s', (localAddress, name) => {
    expect(isOwnAt(localAddress, { host: name, origin: `http://${name}` })).toBe(true);
    expect(isOwnAt(localAddress, { host: '10.0.0.6', origin: 'http://10.0.0.6' })).toBe(false);
  });

  test('names the setting once, where a page has another name', () => {
    warnings.length = 0;
    const again = createIsOwnOrigin(
      { host: '::', http, trustedProxies },
      { warn: (...line: unknown[]) => warnings.push(line) },
    );
    const socket = { localAddress: '10.0.0.5', localPort: 4000, remoteAddress: '10.0.0.9' };
    for (const host of ['nas.local:4000', 'NAS.local:4000', 'other.local']) {
      expect(again({ headers: { host, origin: 'http://nas.local:4000' }, socket } as never)).toBe(false);
    }
    expect(warnings).toEqual([[{ origin: 'http://nas.local:4000' }, expect.stringContaining('CARTE_OWN_ORIGINS')]]);
  });
});
