import { afterEach, describe, expect, test } from 'vitest';
import { revokeKey } from '../../src/auth/keys.ts';
import { createReadAccess } from '../../src/database/pool.ts';
import type { StreamField } from '../../src/events/cursor.ts';
import { formerCursor, openStream, type Stream, type StreamRequest, type Transport } from '../../support/streams.ts';
import { waitUntil } from '../http/processes.ts';
import { startApp } from '../support/app.ts';
import { operatorFork, smallMenu } from '../support/data.ts';
import { endOfLog } from '../support/events.ts';

const streams = { total: 70, perKey: 60, perAddress: 5, buffer: 20, stallSeconds: 10, costPerSecond: 1_000_000 };
const app = await startApp({ streams });
const transports = ['sse', 'websocket'] as const;

const opened: Stream[] = [];
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

function open(transport: Transport, request: StreamRequest, key = app.key): Stream {
  const stream = openStream(transport, { url: app.url, key }, request);
  opened.push(stream);
  return stream;
}

async function openStreams(): Promise<number> {
  const { text: metrics } = await app.get('/metrics');
  return [...metrics.matchAll(/^carte_streams_open\{.*\} (\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

const execute = (sql: string, values: unknown[] = []) => app.orm.em.fork().execute(sql, values);
const access = await createReadAccess(app.orm);

/** A stream that begins now, rather than when the service has opened it. */
async function fromNow(field: StreamField, selection: string, storeId = ''): Promise<StreamRequest> {
  const after = formerCursor(field, { storeId, position: await endOfLog(access.primary) });
  return resume(field, selection, { storeId, after });
}

function resume(
  field: StreamField,
  selection: string,
  variables: { storeId?: string; after: string | null },
): StreamRequest {
  const ofStore = field === 'storeEvents' ? '' : 'storeId: $storeId,';
  const query = `subscription ($storeId: ID, $after: String) { ${field}(${ofStore} after: $after) { ${selection} } }`;
  return { query: ofStore ? query.replace('ID,', 'ID!,') : query.replace('$storeId: ID, ', ''), variables };
}

const orderFields = 'cursor at kind orderId statusBefore status order { id status customer { name } store { id } }';
const orderEvents = (storeId: string, after: string | null = null) =>
  resume('orderEvents', orderFields, { storeId, after });
const orderEventsFromNow = (storeId: string) => fromNow('orderEvents', orderFields, storeId);
const storeFields = 'cursor kind storeId store { id address { city } }';

describe.each(transports)('Subscriptions over %s', transport => {
  test('orderEvents delivers placed and changed orders with their graph', async () => {
    const store = await app.data.store();
    const stream = open(transport, await orderEventsFromNow(store.id));
    const [order] = await app.data.orders(store, 1, { customerName: 'Rui' });
    await execute(`update orders set status = 'ACCEPTED' where id = ?`, [order?.id]);
    await execute('update orders set is_read = true where id = ?', [order?.id]);
    const [placed, ...changed] = await stream.take(3);
    const graph = { id: order?.id, customer: { name: 'Rui' }, store: { id: store.id } };
    expect(placed.data.orderEvents).toMatchObject({
      kind: 'ORDER_PLACED',
      statusBefore: null,
      status: 'PENDING',
      order: graph,
    });
    expect(changed.map(({ data }) => data.orderEvents)).toMatchObject([
      { kind: 'ORDER_CHANGED', statusBefore: 'PENDING', status: 'ACCEPTED', order: { ...graph, status: 'ACCEPTED' } },
      { kind: 'ORDER_CHANGED', statusBefore: 'ACCEPTED', status: 'ACCEPTED' },
    ]);
  });

  test('a stream goes on after its cursor without a hole or a repetition', async () => {
    const store = await app.data.store();
    const first = open(transport, await orderEventsFromNow(store.id));
    const orders = await app.data.orders(store, 5);
    const [, second] = await first.take(2);
    first.close();
    const resumed = open(transport, orderEvents(store.id, second.data.orderEvents.cursor));
    orders.push(...(await app.data.orders(store, 2)));
    const ids = (await resumed.take(5)).map(({ data }) => data.orderEvents.orderId);
    expect(ids).toEqual(orders.slice(2).map(({ id }) => id));
  });

  test('orders that change in one statement by the hundreds are one event without an order', async () => {
    const store = await app.data.store();
    const stream = open(transport, await orderEventsFromNow(store.id));
    await app.data.orders(store, 1_100);
    const { data } = await stream.next();
    expect(data.orderEvents).toMatchObject({ kind: 'ORDERS_CHANGED', orderId: null, order: null, status: null });
  });

  test('menuEvents has the revision of each replacement, and the menu below', async () => {
    const store = await app.data.store();
    const fields = 'cursor kind menuRevision store { menuRevision items { externalId } }';
    const stream = open(transport, await fromNow('menuEvents', fields, store.id));
    await app.data.menu(store, smallMenu('Dinner'));
    const { menuEvents } = (await stream.next()).data;
    expect(menuEvents).toMatchObject({ kind: 'MENU_CHANGED', store: { items: [{ externalId: 'item' }] } });
    expect(menuEvents.menuRevision).toBe(menuEvents.store.menuRevision);
  });

  test('storeEvents delivers what happens to the stores in scope alone', async () => {
    const merchant = await app.data.merchant();
    const key = await app.newKey({ merchantIds: [merchant.id] });
    const stream = open(transport, await fromNow('storeEvents', storeFields), key);
    const foreign = await app.data.store();
    const own = await app.data.store({ merchant: merchant.id });
    await execute(`update store set city = 'Faro' where id in (?, ?)`, [own.id, foreign.id]);
    await execute('delete from store where id = ?', [own.id]);
    const events = (await stream.take(3)).map(({ data }) => data.storeEvents);
    expect(events.map(({ kind, storeId }) => [kind, storeId])).toEqual([
      ['STORE_CREATED', own.id],
      ['STORE_CHANGED', own.id],
      ['STORE_DELETED', own.id],
    ]);
    expect(events[2].store).toBeNull();
  });

  test('an unknown store and one out of scope have the same error', async () => {
    const foreign = await app.data.store();
    const key = await app.newKey({ merchantIds: [(await app.data.merchant()).id] });
    for (const id of [foreign.id, 'unknown']) {
      const stream = openStream(transport, { url: app.url, key }, orderEvents(id));
      const [{ errors }] = await stream.rest();
      expect(errors[0].message).toBe(`storeId: no store with the id "${id}" is in the scope of the API key`);
      expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
    }
  });

  test('a cursor of another store, of another stream, or of none is rejected', async () => {
    const [store, other] = [await app.data.store(), await app.data.store()];
    const stream = open(transport, await orderEventsFromNow(store.id));
    await app.data.orders(store, 1);
    const { cursor } = (await stream.next()).data.orderEvents;
    const errorOf = async (request: StreamRequest) => {
      const [{ errors }] = await openStream(transport, app, request).rest();
      return errors[0].extensions.errors[0].message;
    };
    expect(await errorOf(orderEvents(other.id, cursor))).toBe('is a cursor of another store, not of this one');
    expect(await errorOf(resume('storeEvents', storeFields, { after: cursor }))).toBe(
      'is a cursor of orderEvents, not of storeEvents',
    );
    expect(await errorOf(resume('storeEvents', storeFields, { after: 'x' }))).toBe('"x" is not a cursor');
  });

  test('the streams of a revoked key end within a second or two, also idle ones', async () => {
    const store = await app.data.store();
    const key = await app.newKey({ name: `revoked-${transport}`, storeIds: [store.id] });
    const stream = open(transport, await orderEventsFromNow(store.id), key);
    await app.data.orders(store, 1);
    await stream.next();
    const [row] = await execute('select id from api_key where name = ?', [`revoked-${transport}`]);
    await revokeKey(operatorFork(app.orm), String(row?.id));
    const [{ errors }] = await stream.rest();
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  test('a stream ends when its store moves to a merchant out of scope', async () => {
    const store = await app.data.store();
    const key = await app.newKey({ merchantIds: [String(store.merchant)] });
    const stream = open(transport, await orderEventsFromNow(store.id), key);
    const merchant = await app.data.merchant();
    await execute('update store set merchant_id = ? where id = ?', [merchant.id, store.id]);
    await app.data.orders(store, 1);
    const results = await stream.rest();
    expect(results).toMatchObject([{ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] }]);
  });

  test('streams go on by themselves when the database has dropped all connections', async () => {
    const store = await app.data.store();
    const stream = open(transport, await orderEventsFromNow(store.id));
    await app.data.orders(store, 1);
    await stream.next();
    await execute(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const [order] = await app.data.orders(store, 1);
    const { data, errors } = await stream.next();
    expect(errors).toBeUndefined();
    expect(data.orderEvents.order.id).toBe(order?.id);
  });

  test('beyond the streams that a key may have open, another one is refused', async () => {
    const store = await app.data.store();
    const key = await app.newKey({ storeIds: [store.id] });
    const request = await orderEventsFromNow(store.id);
    // Those of the test before count towards the limit of the process until they are closed.
    await waitUntil(async () => (await openStreams()) === 0);
    const many = Array.from({ length: streams.perKey }, () => openStream(transport, { url: app.url, key }, request));
    opened.push(...many);
    await waitUntil(async () => (await openStreams()) === streams.perKey);
    const refused = openStream(transport, { url: app.url, key }, orderEvents(store.id)).rest();
    const expected =
      transport === 'sse' ? { response: { status: 429 } } : [{ message: expect.stringContaining('60 streams') }];
    await expect(refused).rejects.toMatchObject(expected);
    // Once all are live, an event takes a statement or two, however many streams resolve its order.
    const deliver = async () => {
      await app.data.orders(store, 1);
      const events = await Promise.all(many.map(stream => stream.next()));
      expect(new Set(events.map(({ data }) => data.orderEvents.order.id)).size).toBe(1);
    };
    await deliver();
    const { statements } = await app.statements.during(deliver);
    const loads = statements.filter(statement => statement.startsWith('select') && statement.includes('"orders"'));
    expect(loads.length).toBeLessThan(5);
  });
});
