import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startApp } from '../support/app.ts';

const limits = { ...readConfig({}).http, receiveSeconds: 1, maxConnections: 20 };
const app = await startApp({ http: limits });
const port = Number(new URL(app.url).port);

/** What the service says to these bytes until it closes the connection, and how long that takes. */
async function say(bytes: string) {
  const begun = performance.now();
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  const said = await text(socket);
  return { said, ms: performance.now() - begun };
}

const bodyOf = (said: string) => JSON.parse(said.slice(said.indexOf('\r\n\r\n')));

describe('Someone who takes too long', () => {
  test('over the headers is sent away', async () => {
    const { said, ms } = await say('GET /v1/stores/ HTTP/1.1\r\nHost: x\r\nx-slow: ');
    expect(said).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/);
    expect(bodyOf(said)).toEqual({ detail: 'The request did not arrive in time.' });
    expect(ms).toBeLessThan(2_000);
  });

  test('over the body is sent away', async () => {
    const head = `POST /v1/stores/a/menu_configuration/ HTTP/1.1\r\nHost: x\r\nx-api-key: ${app.key}`;
    const { said, ms } = await say(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"it`);
    expect(said).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(ms).toBeLessThan(2_000);
  });

  test('by default has ten seconds at most', () => {
    expect(readConfig({}).http.receiveSeconds).toBeLessThan(10);
  });
});

describe('Someone who speaks no HTTP', () => {
  test('is told so', async () => {
    const { said } = await say('HELLO\r\n\r\n');
    expect(said).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(bodyOf(said)).toEqual({ detail: 'The request is not HTTP.' });
  });

  test('or sends too many headers is told so', async () => {
    const { said } = await say(`GET / HTTP/1.1\r\nHost: x\r\nx-large: ${'x'.repeat(17_000)}\r\n\r\n`);
    expect(said).toMatch(/^HTTP\/1\.1 431 /);
    expect(bodyOf(said)).toEqual({ detail: 'The headers are larger than this service accepts.' });
  });
});

test('Connections beyond the limit are not taken', async () => {
  const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  const opened = await Promise.all(
    sockets.map(socket => new Promise(resolve => socket.on('connect', () => resolve(socket)))),
  );
  expect(opened).toHaveLength(20);
  await expect(text(connect(port, '127.0.0.1'))).resolves.toBe('');
  for (const socket of sockets) socket.destroy();
});
