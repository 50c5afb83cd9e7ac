import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { sharedApp } from '../support/app.ts';

const app = await sharedApp();
const [one, other] = [await app.newKey(), await app.newKey()];
const store = await app.data.store();
const guest = await app.newKey({ publishable: true, permissions: [], storeIds: [store.id], all: false });

/** Announces a large body, or one of unknown length, and sends so many bytes of it. */
function beginUpload(key: string, bytes: number, framing = 'Content-Length: 1000000') {
  const { port } = new URL(app.url);
  const socket = connect(Number(port), '127.0.0.1');
  const head = ['POST /graphql HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', `X-Api-Key: ${key}`];
  const chunk = framing.startsWith('Content') ? '' : `${bytes.toString(16)}\r\n`;
  socket.write(`${[...head, framing].join('\r\n')}\r\n\r\n${chunk}${' '.repeat(bytes)}`);
  socket.on('error', () => {});
  return socket;
}

const uploads = async (state: string): Promise<number> => {
  const { text } = await app.get('/metrics');
  return Number(new RegExp(`^carte_share_tasks\\{share="uploads",state="${state}"\\} (\\d+)`, 'm').exec(text)?.[1]);
};

const bodyOf = (bytes: number) =>
  JSON.stringify({ query: '{ __typename }', extensions: { padding: 'x'.repeat(bytes) } });

/** A body whose length is not announced. */
const chunked = (body: string) =>
  ({ body: new Blob([body]).stream(), duplex: 'half', headers: { 'content-type': 'application/json' } }) as RequestInit;

const postChunked = (body: string, key: string) => {
  const { headers, ...options } = chunked(body);
  return app.send('POST', '/graphql', { ...options, headers: { ...headers, 'x-api-key': key } });
};

describe('large bodies', () => {
  test('of a key wait for each other, and those of another key do not wait for them', async () => {
    const sockets = Array.from({ length: 20 }, () => beginUpload(one, 300_000));
    await expect.poll(() => uploads('running')).toBe(16);
    await expect.poll(() => uploads('waiting')).toBe(4);
    expect((await app.post('/graphql', bodyOf(300_000), { 'x-api-key': other })).status).toBe(200);
    expect((await app.get('/v1/stores/', { 'x-api-key': one })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => uploads('running')).toBe(0);
    expect(await uploads('waiting')).toBe(0);
  });

  test('that are announced, but do not arrive, take no slot of others', async () => {
    const framings = ['Content-Length: 300000', 'Transfer-Encoding: chunked'];
    const keys = [one, other, await app.newKey()];
    const sockets = keys.flatMap(key =>
      framings.flatMap(framing => Array.from({ length: 16 }, () => beginUpload(key, 1, framing))),
    );
    const waiting = await app.newKey();
    expect((await app.post('/graphql', bodyOf(300_000), { 'x-api-key': waiting })).status).toBe(200);
    expect((await postChunked(bodyOf(300_000), waiting)).status).toBe(200);
    expect((await postChunked('{"query":"{ __typename }"}', waiting)).status).toBe(200);
    expect(await uploads('waiting')).toBe(0);
    for (const socket of sockets) socket.destroy();
  });
});

describe('the body of a guest', () => {
  test.each([
    ['of 60 KB', 60_000, 200],
    ['of 70 KB', 70_000, 413],
    ['of 300 KB', 300_000, 413],
  ])('%s, announced or chunked', async (_name, bytes, status) => {
    const announced = await app.post('/graphql', bodyOf(bytes), { 'x-api-key': guest });
    expect(announced.status).toBe(status);
    expect((await postChunked(bodyOf(bytes), guest)).status).toBe(status);
    if (status === 413) {
      const [error] = announced.body.errors;
      expect(error.message).toBe('With a publishable key, a body has at most 65536 bytes.');
    }
  });

  test('that is announced as larger is refused before it arrives', async () => {
    const sockets = Array.from({ length: 40 }, () =>
      beginUpload(guest, 0, 'Content-Length: 300000\r\nExpect: 100-continue'),
    );
    const replies = await Promise.all(
      sockets.map(
        socket => new Promise<string>(resolve => socket.once('data', data => resolve(String(data.subarray(0, 12))))),
      ),
    );
    expect(new Set(replies)).toEqual(new Set(['HTTP/1.1 413']));
    for (const socket of sockets) socket.destroy();
  });
});
