import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp();

/** Begins the upload of a large body, and sends none of it. */
function beginUpload(key: string) {
  const { port } = new URL(app.url);
  const socket = connect(Number(port), '127.0.0.1');
  const head = ['POST /graphql HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', `X-Api-Key: ${key}`];
  socket.write(`${[...head, 'Content-Length: 1000000'].join('\r\n')}\r\n\r\n`);
  socket.on('error', () => {});
  return socket;
}

const uploads = async (state: string): Promise<number> => {
  const { text } = await app.get('/metrics');
  return Number(new RegExp(`^carte_share_tasks\\{share="uploads",state="${state}"\\} (\\d+)`, 'm').exec(text)?.[1]);
};

test('large bodies of a key wait for each other, and those of another key do not wait for them', async () => {
  const [one, other] = [await app.newKey(), await app.newKey()];
  const sockets = Array.from({ length: 20 }, () => beginUpload(one));
  await expect.poll(() => uploads('running')).toBe(16);
  await expect.poll(() => uploads('waiting')).toBe(4);
  const body = JSON.stringify({ query: '{ __typename }', extensions: { padding: 'x'.repeat(300_000) } });
  const { status } = await app.post('/graphql', body, { 'x-api-key': other });
  expect(status).toBe(200);
  expect((await app.get('/v1/stores/', { 'x-api-key': one })).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => uploads('running')).toBe(0);
  expect(await uploads('waiting')).toBe(0);
});
