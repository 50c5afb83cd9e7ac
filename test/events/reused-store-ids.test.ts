import { afterEach, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import type { StreamField } from '../../src/events/cursor.ts';
import type { Store } from '../../src/store/entities.ts';
import { formerCursor, openStream, type Stream } from '../../support/streams.ts';
import { sharedApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';
import { endOfLog } from '../support/events.ts';

const app = await sharedApp();
const admin = { 'x-api-key': await app.newKey({ permissions: ['ADMIN'] }) };
const access = await createReadAccess(app.orm);
const execute = (sql: string, values: unknown[] = []) => app.orm.em.fork().execute(sql, values);

const opened: Stream[] = [];
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

function open(key: string, query: string, variables: Record<string, unknown> = {}): Stream {
  const stream = openStream('sse', { url: app.url, key }, { query, variables });
  opened.push(stream);
  return stream;
}

const fields = { orderEvents: 'kind orderId', menuEvents: 'kind menuRevision' } as const;
const ofStore = (field: keyof typeof fields) =>
  `subscription ($storeId: ID!, $after: String) { ${field}(storeId: $storeId, after: $after) { ${fields[field]} } }`;
const ofScope = 'subscription ($after: String) { storeEvents(after: $after) { kind storeId } }';

/** A store with a menu and orders that is deleted, and one of another merchant with its id. */
async function reuseId() {
  const former = await app.data.store();
  const position = await endOfLog(access.primary);
  const cursor = (field: StreamField) => formerCursor(field, { storeId: former.id, position });
  await app.data.menu(former, smallMenu('former'));
  const [order] = await app.data.orders(former, 1);
  const { body } = await app.graphql(`{ store(id: "${former.id}") { menuRevision menuHistory { edges { cursor } } } }`);
  await execute('delete from store where id = ?', [former.id]);
  const store = await app.data.store({ id: former.id });
  await endOfLog(access.primary);
  return { former, store, cursor, order, ...body.data.store };
}

test.each(Object.keys(fields) as (keyof typeof fields)[])(
  '%s refuses a cursor from before the store was deleted, and another one has its id',
  async field => {
    const { store, cursor } = await reuseId();
    for (const key of [await app.newKey({ merchantIds: [String(store.merchant)] }), app.key]) {
      const results = await open(key, ofStore(field), { storeId: store.id, after: cursor(field) }).rest();
      expect(results).toMatchObject([
        { errors: [{ extensions: { code: 'BAD_USER_INPUT', errors: [{ type: 'cursor_expired' }] } }] },
      ]);
    }
  },
);

test('storeEvents has nothing of the former store for a key of the new one', async () => {
  const { store, cursor } = await reuseId();
  const key = await app.newKey({ storeIds: [store.id] });
  const stream = open(key, ofScope, { after: cursor('storeEvents') });
  await execute(`update store set city = 'Faro' where id = ?`, [store.id]);
  const kinds = (await stream.take(2)).map(({ data }) => data.storeEvents.kind);
  expect(kinds).toEqual(['STORE_CREATED', 'STORE_CHANGED']);
});

test('a stream of a store ends when it is deleted, even if another one has its id at once', async () => {
  const store = await app.data.store();
  const key = await app.newKey();
  const after = formerCursor('orderEvents', { storeId: store.id, position: await endOfLog(access.primary) });
  const stream = open(key, ofStore('orderEvents'), { storeId: store.id, after });
  await app.data.orders(store, 1);
  await stream.next();
  await app.orm.em.fork().transactional(async em => {
    await em.execute('delete from store where id = ?', [store.id]);
    await em.execute(`insert into store (id, merchant_id, name) values (?, ?, '{}')`, [store.id, store.merchant]);
  });
  await app.data.orders(store, 1);
  expect(await stream.rest()).toMatchObject([{ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] }]);
});

test('a cursor of the new store is accepted', async () => {
  const { store } = await reuseId();
  const { body } = await app.graphql(`{ store(id: "${store.id}") { orderEventsCursor } }`);
  const after = body.data.store.orderEventsCursor;
  const [order] = await app.data.orders(store, 1);
  const { data } = await open(app.key, ofStore('orderEvents'), { storeId: store.id, after }).next();
  expect(data.orderEvents).toEqual({ kind: 'ORDER_PLACED', orderId: order?.id });
});

test('the menu history has nothing of the former store, by no revision and no cursor', async () => {
  const { store, menuRevision, menuHistory } = await reuseId();
  await app.data.menu(store, smallMenu('new'));
  const after = menuHistory.edges[0].cursor;
  const { body } = await app.graphql(
    `query ($id: ID!, $revision: SafeInt!, $after: String) {
      all: store(id: $id) { menuHistory { nodes { summary } } }
      page: store(id: $id) { menuHistory(before: $after) { nodes { summary } } }
      at: store(id: $id) { menuConfigurationAt(revision: $revision) { menus { externalId } } }
    }`,
    { id: store.id, revision: menuRevision, after },
  );
  expect(body.errors).toHaveLength(1);
  expect(body.data.all.menuHistory.nodes).toHaveLength(1);
  expect(body.data.page.menuHistory.nodes).toEqual(body.data.all.menuHistory.nodes);
  expect(body.data.at.menuConfigurationAt).toBeNull();
});

test('a webhook of the new store cannot send messages of the former one', async () => {
  const { store, order } = await reuseId();
  const [event] = await execute('select position from event where order_id = ?', [order?.id]);
  const input = { url: 'http://127.0.0.1:9/hook', kinds: ['ORDER_PLACED'], storeId: (store as Store).id };
  const created = await app.graphql(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
    { input },
    admin,
  );
  const { body } = await app.graphql(
    'mutation ($id: ID!, $messageId: ID!) { redeliverWebhookMessage(input: { webhookId: $id, messageId: $messageId }) { attempt { error } } }',
    { id: created.body.data.createWebhook.webhook.id, messageId: `msg_${event?.position}` },
    admin,
  );
  expect(body.errors).toMatchObject([{ extensions: { errors: [{ type: 'reference_not_found' }] } }]);
});
