import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startApp } from '../support/app.ts';

const limits = { ...readConfig({}).http, receiveSeconds: 1, maxConnections: 20 };
const app = await startApp({ http: limits });
const port = Number(new URL(app.url).port);

/** Sends bytes and reads until the server closes the connection. */
async function send(bytes: string) {
  const begun = performance.now();
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  const response = await text(socket);
  return { response, ms: performance.now() - begun };
}

const bodyOf = (response: string) => JSON.parse(response.slice(response.indexOf('\r\n\r\n')));

describe('CARTE_RECEIVE_SECONDS', () => {
  test('closes a connection with 408 when the headers take longer', async () => {
    const { response, ms } = await send('GET /v1/stores/ HTTP/1.1\r\nHost: x\r\nx-slow: ');
    expect(response).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/);
    expect(bodyOf(response)).toEqual({ detail: 'The request did not arrive in time.' });
    expect(ms).toBeLessThan(readConfig({}).http.receiveSeconds * 1_000);
  });

  test('closes a connection with 408 when the body takes longer', async () => {
    const head = `POST /v1/stores/a/menu_configuration/ HTTP/1.1\r\nHost: x\r\nx-api-key: ${app.key}`;
    const { response, ms } = await send(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"it`);
    expect(response).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(ms).toBeLessThan(readConfig({}).http.receiveSeconds * 1_000);
  });

  test('is less than ten by default', () => {
    expect(readConfig({}).http.receiveSeconds).toBeLessThan(10);
  });
});

describe('A request that cannot be parsed', () => {
  test('is 400 where it is not HTTP', async () => {
    const { response } = await send('HELLO\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(bodyOf(response)).toEqual({ detail: 'The request is not HTTP.' });
  });

  test('is 431 where its headers are too large', async () => {
    const { response } = await send(`GET / HTTP/1.1\r\nHost: x\r\nx-large: ${'x'.repeat(17_000)}\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 431 /);
    expect(bodyOf(response)).toEqual({ detail: 'The headers are larger than this service accepts.' });
  });
});

test('connections beyond CARTE_MAX_CONNECTIONS are closed', async () => {
  const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  const opened = await Promise.all(
    sockets.map(socket => new Promise(resolve => socket.on('connect', () => resolve(socket)))),
  );
  expect(opened).toHaveLength(20);
  await expect(text(connect(port, '127.0.0.1'))).resolves.toBe('');
  for (const socket of sockets) socket.destroy();
});
