import { expect, onTestFinished, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { queryIn } from '../../src/database/query.ts';
import { EventCursors } from '../../src/events/cursor.ts';
import { sequenceEvents } from '../../src/events/sequencer.ts';
import { createServer } from '../../src/server/server.ts';
import { formerCursor, openStream } from '../../support/streams.ts';
import { sharedApp } from '../support/app.ts';
import { endOfLog, readEvents } from '../support/events.ts';

const app = await sharedApp();
const { primary } = await createReadAccess(app.orm);
const store = await app.data.store();
const key = await app.newKey({ storeIds: [store.id] });
const headers = { 'x-api-key': key };

const subscriptions = {
  orderEvents: `subscription ($after: String) { orderEvents(storeId: "${store.id}", after: $after) { cursor kind } }`,
  menuEvents: `subscription ($after: String) { menuEvents(storeId: "${store.id}", after: $after) { cursor kind } }`,
  storeEvents: 'subscription ($after: String) { storeEvents(after: $after) { cursor kind } }',
} as const;
type Field = keyof typeof subscriptions;
const fields = Object.keys(subscriptions) as Field[];

/** One event of each field. */
async function changeAll(): Promise<void> {
  await app.data.orders(store, 1);
  await app.data.menu(store);
  await app.orm.em
    .fork()
    .execute(`update store set menu_revision = menu_revision + 1, city = 'Faro' || random() where id = ?`, [store.id]);
}

function watch(field: Field, after: string, url = app.url) {
  const stream = openStream('sse', { url, key }, { query: subscriptions[field], variables: { after } });
  onTestFinished(() => stream.close());
  return stream;
}

const page = async (path: string, url = app.url) => (await (await fetch(`${url}${path}`, { headers })).json()) as Page;
interface Page {
  readonly events: readonly { readonly cursor: string; readonly kind: string }[];
  readonly next: string;
  readonly has_more: boolean;
}

/** Everything that a cursor can be read as. */
const readings = (cursor: string) =>
  (['base64url', 'base64', 'hex', 'latin1'] as const)
    .map(encoding => Buffer.from(cursor, encoding))
    .flatMap(bytes => [
      bytes.toString('latin1'),
      bytes.toString('hex'),
      ...Array.from({ length: Math.max(0, bytes.length - 7) }, (_, at) => String(bytes.readBigUInt64BE(at))),
      ...Array.from({ length: Math.max(0, bytes.length - 7) }, (_, at) => String(bytes.readBigUInt64LE(at))),
    ])
    .join(' ');

test('a cursor shows neither its position nor the time of it, and that of an event is always the same', async () => {
  const position = await endOfLog(primary);
  await changeAll();
  const events = await readEvents(primary, { after: position, storeId: store.id, limit: 10 });
  const path = `/pos/v1/stores/${store.id}/events?after=${formerCursor('events', { storeId: store.id, position })}`;
  const [first, second] = [await page(path), await page(path)];
  expect(first.events.map(({ cursor }) => cursor)).toEqual(second.events.map(({ cursor }) => cursor));
  expect(first.next).not.toBe(second.next);
  const cursors = [first, second].flatMap(({ events: found, next }) => [...found.map(({ cursor }) => cursor), next]);
  for (const field of fields)
    cursors.push((await watch(field, formerCursor(field, { storeId: store.id, position })).next()).data[field].cursor);
  expect(cursors).toHaveLength(2 * events.length + 5);
  for (const cursor of cursors) {
    expect(cursor).toMatch(/^[\w-]{22}$/);
    for (const { position: written } of events) {
      expect(readings(cursor)).not.toContain(String(written).slice(0, 8));
      expect(readings(cursor)).not.toContain(written.toString(16).slice(0, 6));
    }
  }
});

test('cursors of before are taken wherever one is, and work in another process and after a restart', async () => {
  const position = await endOfLog(primary);
  await changeAll();
  const other = await createServer(app.orm, app.server.config);
  const url = await other.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => other.close());
  for (const field of fields) {
    const former = formerCursor(field, { storeId: store.id, position });
    const { cursor } = (await watch(field, former).next()).data[field];
    // The same event, after which the next process goes on.
    expect((await watch(field, former, url).next()).data[field].cursor).toBe(cursor);
    await changeAll();
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream', 'last-event-id': cursor },
      body: JSON.stringify({ query: subscriptions[field], variables: { after: 'ignored' } }),
    });
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('id: ')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
    expect(text).not.toContain(`id: ${cursor}`);
    expect(text).not.toContain('errors');
  }
  // Until all changes are in the log.
  await sequenceEvents(primary);
  const former = formerCursor('events', { position });
  const { events, next } = await page(`/pos/v1/events?after=${former}`);
  expect((await page(`/pos/v1/events?after=${events[0]?.cursor}`, url)).events).toEqual(events.slice(1));
  expect((await page(`/pos/v1/events?after=${next}`, url)).events).toEqual([]);
});

test('a cursor that was changed, or is of another store or stream, is refused with its path', async () => {
  const { next } = await page(`/pos/v1/stores/${store.id}/events`);
  const foreign = await app.data.store();
  const { next: ofForeign } = (await app.get(`/pos/v1/stores/${foreign.id}/events`)).body;
  const changed = Array.from(
    next,
    (char, at) => `${next.slice(0, at)}${char === 'A' ? 'B' : 'A'}${next.slice(at + 1)}`,
  );
  for (const cursor of [...changed, ofForeign, (await page('/pos/v1/events')).next, 'x', `${next}A`, next.slice(1)]) {
    const { body } = await app.graphql(
      'query ($id: ID!, $after: String) { store(id: $id) { events(after: $after) { next } } }',
      { id: store.id, after: cursor },
      headers,
    );
    expect(body.errors?.[0].extensions.errors, cursor).toMatchObject([{ path: ['after'], type: 'value_error' }]);
  }
});

test('what others write between two polls cannot be seen', async () => {
  const busy = await app.data.store();
  const quiet = async () => {
    const before = await page('/pos/v1/events');
    return { before, read: () => page(`/pos/v1/events?after=${before.next}`) };
  };
  const shape = ({ next, ...rest }: Page) => ({ ...rest, length: next.length });
  const calm = await quiet();
  const withoutWrites = await calm.read();
  const written = await quiet();
  for (let batch = 0; batch < 14; batch++) await app.data.orders(busy, 500);
  await endOfLog(primary);
  const withWrites = await written.read();
  // More than one statement looks at, with two pages of another store and its own events behind them.
  expect(shape(withWrites)).toEqual(shape(withoutWrites));
  expect(withoutWrites.next).not.toBe(calm.before.next);
  expect(new Set([withWrites.next, written.before.next, (await written.read()).next]).size).toBe(3);
});

test('an error about a cursor does not tell where the log of all begins or ends', async () => {
  const cursor = formerCursor('events', { position: 1 });
  await app.orm.em.fork().execute('delete from event where position <= ?', [(await endOfLog(primary)) - 1]);
  const { text } = await app.get(`/pos/v1/events?after=${cursor}`, headers);
  expect(text).toMatch(/only those after \d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z/);
  const future = formerCursor('events', { position: (Date.now() + 3_600_000) * 1_000 });
  expect((await app.get(`/pos/v1/events?after=${future}`, headers)).text).toContain('is beyond the end of the log"');
});

test('for an hour after an upgrade, cursors and ids of messages are such that 0.2.0 reads them', async () => {
  const em = app.orm.em.fork();
  await em.begin();
  onTestFinished(() => em.rollback());
  const from = (Date.now() + 3_600_000) * 1_000;
  await em.execute('update event_log set encrypted_from = ?', [from]);
  const cursors = new EventCursors(queryIn(em));
  const [before, after] = [from - 1, from].map(position => ({ storeId: store.id, position }));
  expect(await cursors.ofEvent('menuEvents', before ?? { storeId: '', position: 0 })).toBe(
    formerCursor('menuEvents', before ?? { position: 0 }),
  );
  expect(await cursors.messageId(from - 1)).toBe(`msg_${from - 1}`);
  const encrypted = await cursors.ofEvent('menuEvents', after ?? { storeId: '', position: 0 });
  expect(await cursors.read({ field: 'menuEvents', storeId: store.id }, encrypted)).toBe(from);
  expect(await cursors.positionOfMessage(await cursors.messageId(from))).toBe(from);
  expect(await cursors.positionOfMessage(`msg_${from}`)).toBe(from);
});
