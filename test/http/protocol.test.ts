import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { smallBody } from './body.ts';

const app = await startApp({ bodyLimit: 64 * 1024 });
const store = await app.data.store();
const { hostname, port } = new URL(app.url);
const path = `/v1/stores/${store.id}/menu_configuration/`;
const key = `x-api-key: ${app.key}\r\n`;

/** Sends bytes as they are and resolves to what comes back until the server closes; `end` shuts down the writing side. */
async function raw(text: string | Buffer, { end = true }: { readonly end?: boolean } = {}): Promise<string> {
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  await once(socket, 'connect');
  let received = '';
  socket.setEncoding('utf8').on('data', chunk => (received += chunk));
  socket.on('error', () => {}).on('end', () => socket.end());
  if (end) socket.end(text);
  else socket.write(text);
  await once(socket, 'close');
  return received;
}

const statusOf = (response: string) => Number(/^HTTP\/1\.\d (\d+)/.exec(response)?.[1]);
const detailOf = (response: string) => JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4)).detail;

describe('a client that shuts down its writing side gets its response', () => {
  const body = JSON.stringify(smallBody('x'));

  test.each(['1.0', '1.1'])('to a GET of HTTP/%s', async version => {
    const response = await raw(`GET /v1/stores/${store.id} HTTP/${version}\r\nhost: x\r\n${key}\r\n`);
    expect(statusOf(response)).toBe(200);
    expect(response).toContain(store.id);
  });

  test.each(['1.0', '1.1'])('to a POST of HTTP/%s', async version => {
    const head = `POST ${path} HTTP/${version}\r\nhost: x\r\n${key}content-type: application/json\r\n`;
    const response = await raw(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    expect(statusOf(response)).toBe(200);
    expect(response).toContain('menu_configuration');
  });
});

describe('a body that is too large', () => {
  const large = JSON.stringify({ items: [], padding: 'x'.repeat(8 * 1024 * 1024) });

  test('is 413 for a client that sends all of it before it reads', async () => {
    const response = await fetch(app.url + path, {
      method: 'POST',
      body: large,
      headers: { 'x-api-key': app.key, 'content-type': 'application/json' },
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ detail: 'The body is larger than this service accepts.' });
  });

  test.each([
    ['with its length', `content-length: ${large.length}\r\n\r\n${large}`],
    ['in chunks', `transfer-encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`],
  ])('is 413 on a plain socket, sent %s', async (_how, rest) => {
    const response = await raw(`POST ${path} HTTP/1.1\r\nhost: x\r\n${key}content-type: application/json\r\n${rest}`);
    expect(statusOf(response)).toBe(413);
  });

  test('is 413 on /graphql too', async () => {
    const { status } = await app.post('/graphql', large);
    expect(status).toBe(413);
  });

  const expecting = (length: number, more = key) =>
    raw(
      `POST ${path} HTTP/1.1\r\nhost: x\r\n${more}content-type: application/json\r\ncontent-length: ${length}\r\n` +
        'expect: 100-continue\r\nconnection: close\r\n\r\n',
      { end: false },
    );

  test('is 413 instead of 100 with `Expect: 100-continue`', async () => {
    expect(statusOf(await expecting(large.length))).toBe(413);
  });

  test('a request without a key is 401 instead of 100', async () => {
    expect(statusOf(await expecting(10, ''))).toBe(401);
  });

  test('100 precedes the response to a body that is small enough', async () => {
    const socket = connect(Number(port), hostname);
    const body = JSON.stringify({ items: [] });
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\n${key}content-type: application/json\r\ncontent-length: ${body.length}\r\n` +
        'expect: 100-continue\r\nconnection: close\r\n\r\n',
    );
    const [first] = await once(socket.setEncoding('utf8'), 'data');
    expect(first).toContain('100 Continue');
    socket.write(body);
    const [second] = await once(socket, 'data');
    expect(statusOf(second)).toBe(200);
    socket.destroy();
  });
});

describe('a path that cannot be percent-decoded', () => {
  test.each(['/v1/stores/100%', '/v1/orders/caf%E9', '/v1/stores/%/menu_configuration/'])(
    '%s is 401 without a key, then 404',
    async address => {
      expect((await app.get(address, { 'x-api-key': '' })).status).toBe(401);
      expect((await app.get(address)).status).toBe(404);
    },
  );

  test.each(['/100%', '/graphql%', '/menu%E9'])('%s is 404', async address => {
    const response = await raw(`GET ${address} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(statusOf(response)).toBe(404);
  });
});

describe('a method that a route does not have', () => {
  const methods = ['QUERY', 'PROPFIND', 'PURGE', 'LOCK', 'SEARCH', 'TRACE', 'FROB', 'PATCH', 'DELETE'];

  test.each(methods)('%s is 405 with Allow, with or without Content-Type', async method => {
    for (const type of ['', 'content-type: text/plain\r\n']) {
      const line = `${method} /v1/stores/${store.id} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${key}${type}\r\n`;
      const response = await raw(line);
      expect(statusOf(response)).toBe(405);
      expect(response).toMatch(/^allow: GET, HEAD, OPTIONS\r$/im);
      expect(statusOf(await raw(line.replace(`/v1/stores/${store.id}`, '/graphql')))).toBe(405);
    }
  });

  test('is 404 where there is no route', async () => {
    expect(statusOf(await raw('FROB /nothing HTTP/1.1\r\nhost: x\r\n\r\n'))).toBe(404);
    expect(statusOf(await raw('LOCK /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'))).toBe(404);
  });

  test('has its own name in the metrics', async () => {
    expect(statusOf(await raw('MKCOL /v1/stores/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'))).toBe(405);
    const { text } = await app.get('/metrics');
    expect(text).toContain('count{method="MKCOL",route="/v1/stores/",status="405"} 1');
  });
});

describe('/graphql', () => {
  const query = '/graphql?query=%7B__typename%7D';
  const request = (method: string, target = query) =>
    raw(`${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${key}accept: application/json\r\n\r\n`);

  test('HEAD is GET without its body', async () => {
    const [get, head] = [await request('GET'), await request('HEAD')];
    expect(statusOf(head)).toBe(200);
    expect(head.slice(head.indexOf('\r\n\r\n'))).toBe('\r\n\r\n');
    const lengthOf = (response: string) => /^content-length: (\d+)/im.exec(response)?.[1];
    expect(lengthOf(head)).toBe(lengthOf(get));
  });

  test('OPTIONS and 405 have the methods that there are', async () => {
    for (const method of ['OPTIONS', 'PUT', 'FROB']) {
      expect(await request(method)).toMatch(/^allow: GET, HEAD, OPTIONS, POST\r$/im);
    }
  });
});

describe('requests that are not quite HTTP', () => {
  test.each([
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, 'The request has no Host header.'],
    ['two Hosts', 'GET / HTTP/1.1\r\nhost: a\r\nHOST: b\r\n\r\n', 400, 'The request has more than one Host header.'],
    ['an asterisk', 'GET * HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'GET needs a path; "*" is none.'],
    [
      'an unknown expectation',
      'GET / HTTP/1.1\r\nhost: x\r\nexpect: 200-maybe\r\n\r\n',
      417,
      'The expectation "200-maybe" cannot be met.',
    ],
    [
      'raw UTF-8',
      'GET /v1/stores/?x=é HTTP/1.1\r\nhost: x\r\n\r\n',
      400,
      'The URL has a character that must be percent-encoded, in UTF-8.',
    ],
    [
      'a transfer coding other than chunked',
      `POST ${path} HTTP/1.1\r\nhost: x\r\n${key}content-type: application/json\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      415,
      'The transfer coding "gzip, chunked" is not supported, only "chunked".',
    ],
    [
      'CONNECT',
      'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n',
      405,
      'This service is no proxy: CONNECT is not supported.',
    ],
    ['nonsense', 'hello\r\n\r\n', 400, 'The request is not HTTP.'],
  ])('%s: %s', async (_what, text, status, detail) => {
    const response = await raw(text);
    expect(statusOf(response)).toBe(status);
    expect(detailOf(response)).toBe(detail);
  });

  test('the 405 of CONNECT has Allow', async () => {
    const response = await raw('CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n');
    expect(response).toMatch(/^allow: GET, HEAD, OPTIONS, POST\r$/im);
  });

  test('the name of the transfer coding may have any case', async () => {
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\n${key}content-type: application/json\r\nconnection: close\r\n`;
    expect(statusOf(await raw(`${head}transfer-encoding: Chunked\r\n\r\nc\r\n{"items":[]}\r\n0\r\n\r\n`))).toBe(200);
  });

  test('HTTP/1.0 needs no Host', async () => {
    expect(statusOf(await raw('GET /health/live HTTP/1.0\r\n\r\n'))).toBe(200);
  });
});
