import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { revokeKey } from '../../src/auth/keys.ts';
import { createReadAccess } from '../../src/database/pool.ts';
import { EventCursors } from '../../src/events/cursor.ts';
import { sequenceEvents } from '../../src/events/sequencer.ts';
import { waitUntil } from '../http/processes.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';

// A request that waits must not use the only share of its key.
const app = await startApp({
  streams: { total: 5, perKey: 3, perAddress: 5, buffer: 20, stallSeconds: 10, costPerSecond: 1_000_000 },
  shares: { requestsPerKey: 1, expensive: 4 },
});

const { primary } = await createReadAccess(app.orm);
const cursors = new EventCursors(primary);
const positionOf = (storeId: string, cursor: string) => cursors.read({ field: 'events', storeId }, cursor);

interface Page {
  readonly events: readonly {
    readonly cursor: string;
    readonly kind: string;
    readonly storeId: string;
    readonly orderId: string | null;
    readonly order: { readonly id: string; readonly status: string } | null;
  }[];
  readonly next: string;
  readonly hasMore: boolean;
}

interface Poll {
  readonly storeId?: string;
  readonly after?: string | null;
  readonly limit?: number;
  readonly kinds?: readonly string[];
  readonly wait?: number;
}

const page = `events(after: $after, limit: $limit, kinds: $kinds, waitSeconds: $wait) {
  events { cursor at kind storeId orderId statusBefore status menuRevision order { id status } } next hasMore
}`;
const variables = '$after: String, $limit: Int, $kinds: [EventKind!], $wait: Int';
const ofStore = `query ($storeId: ID!, ${variables}) { store(id: $storeId) { ${page} } }`;
const ofAll = `query (${variables}) { ${page} }`;

const send = ({ storeId, ...given }: Poll, key = app.key) =>
  app.graphql(storeId === undefined ? ofAll : ofStore, { storeId, ...given }, { 'x-api-key': key });

async function poll(request: Poll, key = app.key): Promise<Page> {
  await sequenceEvents(primary);
  const { body } = await send(request, key);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return request.storeId === undefined ? body.data.events : body.data.store.events;
}

const kindsOf = ({ events }: Page) => events.map(({ kind }) => kind);
const execute = (sql: string, values: unknown[] = []) => app.orm.em.fork().execute(sql, values);
const setStatus = (id: string | undefined, status: string) =>
  execute('update orders set status = ? where id = ?', [status, id]);

async function waiting(): Promise<number> {
  const { text } = await app.get('/metrics');
  return Number(/^carte_streams_open\{transport="poll"\} (\d+)/m.exec(text)?.[1]);
}
const untilWaiting = (count: number) => waitUntil(async () => (await waiting()) === count);

async function createStore() {
  const store = await app.data.store();
  const key = await app.newKey({ storeIds: [store.id] });
  return { store, storeId: store.id, key, start: (await poll({ storeId: store.id })).next };
}

describe('events', () => {
  test('a page begins after a cursor, or at the end of the log, and has the events of its store in order', async () => {
    const { store, storeId, start } = await createStore();
    const other = await app.data.store();
    const [first, second] = await app.data.orders(store, 2);
    await app.data.orders(other, 1);
    await setStatus(first?.id, 'ACCEPTED');
    await app.data.menu(store);
    const all = await poll({ storeId, after: start });
    expect(all).toMatchObject({
      events: [
        {
          kind: 'ORDER_PLACED',
          storeId,
          orderId: first?.id,
          statusBefore: null,
          status: 'PENDING',
          menuRevision: null,
        },
        { kind: 'ORDER_PLACED', orderId: second?.id, order: { id: second?.id, status: 'PENDING' } },
        { kind: 'ORDER_CHANGED', statusBefore: 'PENDING', status: 'ACCEPTED', order: { status: 'ACCEPTED' } },
        { kind: 'MENU_CHANGED', orderId: null, order: null, menuRevision: expect.any(Number) },
      ],
      hasMore: false,
    });
    const cut = await poll({ storeId, after: start, limit: 2 });
    expect([kindsOf(cut), cut.hasMore]).toEqual([['ORDER_PLACED', 'ORDER_PLACED'], true]);
    expect(await poll({ storeId, after: all.events[1]?.cursor ?? '' })).toMatchObject({ events: all.events.slice(2) });
    expect(await poll({ storeId, after: cut.next })).toMatchObject({ events: all.events.slice(2), hasMore: false });
    expect(kindsOf(await poll({ storeId, after: start, kinds: ['MENU_CHANGED'] }))).toEqual(['MENU_CHANGED']);
    expect(await poll({ storeId, after: all.next })).toMatchObject({ events: [], hasMore: false });
    expect((await poll({ storeId })).events).toEqual([]);
  });

  test('those of all stores are those in the scope of the key, as their stores were then', async () => {
    const { store, storeId, key } = await createStore();
    const ofMerchant = await app.newKey({ merchantIds: [store.merchant ?? ''] });
    const { next: start } = await poll({});
    const other = await app.data.store();
    await app.data.orders(other, 1);
    const [order] = await app.data.orders(store, 1);
    expect(kindsOf(await poll({ after: start }))).toEqual(['STORE_CREATED', 'ORDER_PLACED', 'ORDER_PLACED']);
    for (const ownKey of [key, ofMerchant]) {
      expect((await poll({ after: start }, ownKey)).events).toMatchObject([{ storeId, orderId: order?.id }]);
      expect((await send({ storeId: other.id }, ownKey)).body.data.store).toBeNull();
    }
    // Another store gets the id: its key must not see what happened before.
    await execute('delete from store where id = ?', [storeId]);
    await app.data.store({ id: storeId });
    const heir = await app.newKey({ storeIds: [storeId] });
    expect(kindsOf(await poll({ after: start }, heir))).toEqual(['STORE_CREATED']);
    expect(kindsOf(await poll({ storeId, after: (await poll({ storeId })).next }, heir))).toEqual([]);
    const { start: oldStart } = await createStore();
    const refused = await send({ storeId, after: oldStart }, heir);
    expect(refused.body.errors[0].message).toContain('is a cursor of another store');
    expect(kindsOf(await poll({ after: start }, ofMerchant))).toEqual(['ORDER_PLACED', 'STORE_DELETED']);
  });

  test('are those that the key may read, and naming others is refused', async () => {
    const { store, storeId, start } = await createStore();
    await app.data.orders(store, 1);
    await app.data.menu(store);
    await sequenceEvents(primary);
    const readsMenus = await app.newKey({ storeIds: [storeId], permissions: ['READ_MENUS'] });
    const kinds = async (given: string) => {
      const query = `{ store(id: "${storeId}") { events(after: "${start}" ${given}) { events { kind orderId } } } }`;
      return (await app.graphql(query, {}, { 'x-api-key': readsMenus })).body;
    };
    expect((await kinds('')).data.store.events.events).toEqual([{ kind: 'MENU_CHANGED', orderId: null }]);
    expect((await kinds('kinds: [ORDER_PLACED, MENU_CHANGED, ORDER_PLACED]')).errors[0]).toMatchObject({
      message: 'This API key has READ_MENUS, and may not read events of the kinds ORDER_PLACED.',
      extensions: { code: 'FORBIDDEN' },
    });
  });

  test('arguments out of range, and cursors of the future or of deleted events, are refused', async () => {
    const { storeId, start } = await createStore();
    const { body } = await send({ storeId, limit: 501, wait: 26 });
    expect(body.errors[0].extensions.errors).toMatchObject([{ path: ['limit'] }, { path: ['waitSeconds'] }]);
    const far = Buffer.from(`events1 ${Date.now() * 1000 + 3_600_000_000} ${storeId}`).toString('base64url');
    expect((await send({ storeId, after: far })).body.errors[0].message).toContain('is a cursor of the future');
    await app.data.store();
    await sequenceEvents(primary);
    await execute('delete from event');
    expect((await send({ storeId, after: start })).body.errors[0]).toMatchObject({
      message: expect.stringContaining('begin without "after", then read the current state'),
      extensions: { errors: [{ type: 'cursor_expired' }] },
    });
  });
});

describe('a request that waits', () => {
  test('returns with the first event that it is for, and uses no share of its key', async () => {
    const { store, storeId, key, start } = await createStore();
    const [order] = await app.data.orders(store, 1);
    const { next } = await poll({ storeId, after: start });
    const held = poll({ storeId, after: next, kinds: ['ORDER_CHANGED'], wait: 25 }, key);
    const fromNow = poll({ wait: 25, kinds: ['ORDER_CHANGED'] }, key);
    await untilWaiting(2);
    await app.data.orders(await app.data.store(), 1, { status: 'ACCEPTED' });
    await app.data.menu(store);
    expect(kindsOf(await poll({ storeId, after: next }, key))).toEqual(['MENU_CHANGED']);
    expect(await waiting()).toBe(2);
    await setStatus(order?.id, 'READY');
    expect(await held).toMatchObject({ events: [{ kind: 'ORDER_CHANGED', order: { status: 'READY' } }] });
    expect(await fromNow).toMatchObject({ events: [{ orderId: order?.id, status: 'READY' }] });
    await untilWaiting(0);
  });

  test('returns an empty page in the end, whose cursor loses nothing', async () => {
    const { store, storeId, start } = await createStore();
    const empty = await poll({ storeId, after: start, wait: 1 });
    expect(empty.events).toEqual([]);
    await app.data.orders(store, 1);
    expect(kindsOf(await poll({ storeId, after: empty.next, wait: 25 }))).toEqual(['ORDER_PLACED']);
  });

  test('is ended by the next one of its key for the same store, and by its client', async () => {
    const { storeId, key, start } = await createStore();
    const first = poll({ storeId, after: start, wait: 25 }, key);
    await untilWaiting(1);
    const query = encodeURIComponent(`{store(id:"${storeId}"){events(waitSeconds:25){next}}}`);
    const client = connect(Number(new URL(app.url).port), '127.0.0.1');
    await once(client, 'connect');
    client.write(`GET /graphql?query=${query} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`);
    expect(await first).toEqual({ events: [], next: expect.any(String), hasMore: false });
    expect(await positionOf(storeId, (await first).next)).toBe(await positionOf(storeId, start));
    expect(await waiting()).toBe(1);
    client.end();
    await untilWaiting(0);
    client.destroy();
  });

  test('counts as a stream of its key, and only one field of a request waits', async () => {
    const stores = await Promise.all([1, 2, 3, 4].map(() => app.data.store()));
    const key = await app.newKey();
    const held = stores.slice(0, 3).map(({ id }) => poll({ storeId: id, wait: 25 }, key));
    await untilWaiting(3);
    const { errors } = (await send({ storeId: stores[3]?.id ?? '', wait: 25 }, key)).body;
    expect(errors[0]).toMatchObject({ extensions: { code: 'TOO_MANY_REQUESTS' } });
    const refused = await app.get(`/pos/v1/stores/${stores[3]?.id}/events?wait=25`, { 'x-api-key': key });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    // One that takes the place of another is within the limit.
    const again = poll({ storeId: stores[0]?.id ?? '', wait: 25 }, key);
    expect((await held[0])?.events).toEqual([]);
    await untilWaiting(3);
    await Promise.all(stores.map(store => app.data.orders(store, 1)));
    await Promise.all([again, ...held]);
    const twice = `{ a: events(waitSeconds: 1) { next } b: events(waitSeconds: 1) { next } }`;
    const { body } = await app.graphql(twice, {}, { 'x-api-key': key });
    expect(body.errors[0].extensions.errors).toEqual([
      {
        path: ['waitSeconds'],
        type: 'value_error',
        message: 'must be 0: another field of the same request waits already',
      },
    ]);
  });

  test('ends when its key is revoked, and shows nothing of a store that has left the scope', async () => {
    const { store, storeId, key } = await createStore();
    const { body: viewed } = await app.graphql('{ viewer { id } }', {}, { 'x-api-key': key });
    const revoked = send({ storeId, wait: 25 }, key);
    await untilWaiting(1);
    await revokeKey(operatorFork(app.orm), viewed.data.viewer.id);
    expect((await revoked).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    const ofMerchant = await app.newKey({ merchantIds: [store.merchant ?? ''] });
    const moved = send({ storeId, wait: 25 }, ofMerchant);
    await untilWaiting(1);
    const { id: merchantId } = await app.data.merchant();
    await execute('update store set merchant_id = ? where id = ?', [merchantId, storeId]);
    expect((await moved).body).toEqual({ data: { store: { events: null } } });
  });

  // Last, since it closes the server.
  test('ends at shutdown with an empty page and a cursor of the same position', async () => {
    const { storeId, start } = await createStore();
    const held = poll({ storeId, after: start, wait: 25 });
    const byRest = app.get(`/pos/v1/stores/${storeId}/events?after=${start}&wait=25`, {
      'x-api-key': await app.newKey({ storeIds: [storeId] }),
    });
    await untilWaiting(2);
    await app.server.drain.finish(60_000);
    const next = expect.any(String);
    expect(await held).toEqual({ events: [], next, hasMore: false });
    expect((await byRest).body).toEqual({ events: [], next, has_more: false });
    for (const cursor of [(await held).next, (await byRest).body.next])
      expect(await positionOf(storeId, cursor)).toBe(await positionOf(storeId, start));
  });
});
