import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../src/server/server.ts';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';
import { writeSet } from '../support/operations.ts';
import { type Received, startReceiver, verify } from '../support/receiver.ts';

/** A set in whose messages `label` is a constant, so that one can tell its versions apart. */
const setOf = (label: string) =>
  writeSet('courier', {
    'a.graphql': `
extend schema @interface(title: "Courier", description: "Messages.", tags: [], internal: true)
query courierOrder($order_id: ID!)
@webhook(events: [ORDER_PLACED, ORDER_CHANGED], summary: "An order for the courier") {
  order(id: $order_id) @constants(fields: [{ name: "schema", value: "${label}" }]) {
    ref: id
    state: status @values(map: [
      { of: PENDING, as: "NEW" }, { of: ACCEPTED, as: "TAKEN" }, { of: READY, as: "COOKED" }, { of: FULFILLED, as: "DONE" },
      { of: REJECTED, as: "NO" }, { of: STORE_CANCELLED, as: "NO" }, { of: CUSTOMER_CANCELLED, as: "NO" }
    ])
    total: price @only(field: "amount") @at(path: "amounts.total") { amount @decimal }
    taxText: taxMinorUnits @decimal(digits: 2, isText: true) @at(path: "amounts.tax")
    guest: customer @at(path: "guest.who") { name }
    isRead @values(map: [{ of: true, as: "Y" }, { of: false, as: "N" }])
  }
}
query courierMenu($event: ID!) @webhook(events: [MENU_CHANGED]) {
  event(messageId: $event) { at_version: menuRevision shop: storeId }
}
query courierStore($storeId: ID!) @webhook(events: [STORE_CHANGED]) {
  store(id: $storeId) { items { id } }
}`,
  });

const webhooks = { deliver: true, allowHttp: true, allowNetworks: ['127.0.0.1/32'] };
const app = await startApp({ webhooks, operations: [setOf('1')] });
const receiver = await startReceiver();
const operator = { 'x-api-key': await app.newKey({ name: 'operator', permissions: ['ADMIN'] }) };
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000, interval: 20 });

const create = (input: object, headers = operator) =>
  app.graphql(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { id kinds operation } } }',
    { input },
    headers,
  );

async function createWebhook(input: { readonly storeId: string; readonly operation: string }) {
  const path = `/${input.storeId}/${input.operation}`;
  const { body } = await create({ url: receiver.urlOf(path), ...input });
  expect(body.errors).toBeUndefined();
  const { secret, webhook } = body.data.createWebhook;
  const id: string = webhook.id;
  const messages = async (count: number): Promise<Received[]> => {
    await eventually(() => receiver.at(path).length).toBeGreaterThanOrEqual(count);
    return receiver.at(path);
  };
  const query = async (selection: string) => {
    const found = await app.graphql(`query ($id: ID!) { webhook(id: $id) { ${selection} } }`, { id }, operator);
    return found.body.data.webhook;
  };
  const mutate = (field: string) =>
    app.graphql(`mutation ($id: ID!) { ${field}(input: { webhookId: $id }) { webhook { id } } }`, { id }, operator);
  return { id, path, secret, webhook, messages, query, mutate };
}

test('the body is what the operation selects, by its aliases, values and paths, and is as documented', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id, operation: 'courierOrder' });
  expect(webhook.webhook).toMatchObject({ kinds: ['ORDER_PLACED', 'ORDER_CHANGED'], operation: 'courierOrder' });
  const [order] = await app.data.orders(store, 1, { price: 1250, tax: 5, customerName: 'Inês "Ñ" 茶' });
  const [placed] = await webhook.messages(1);
  expect(placed && verify(placed, webhook.secret)).toBeDefined();
  const amounts = '"amounts":{"total":12.50,"tax":"0.05"}';
  expect(placed?.body).toBe(
    `{"ref":"${order?.id}","state":"NEW",${amounts},"guest":{"who":{"name":"Inês \\"Ñ\\" 茶"}},"isRead":"N","schema":"1"}`,
  );
  const menu = await createWebhook({ storeId: store.id, operation: 'courierMenu' });
  await app.data.menu(store, smallMenu());
  const { body } = await app.graphql(`{ store(id: "${store.id}") { menuRevision } }`);
  const [changed] = await menu.messages(1);
  expect(changed?.message).toEqual({ at_version: body.data.store.menuRevision, shop: store.id });

  const { body: document } = await app.get('/openapi/courier.json');
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  for (const [name, received] of Object.entries({ courierOrder: placed, courierMenu: changed })) {
    const pointer = `openapi#/webhooks/${name}/post/requestBody/content/application~1json/schema`;
    expect(ajv.validate({ $ref: pointer }, received?.message), JSON.stringify(ajv.errors)).toBe(true);
  }
  const { state } = document.components.schemas.CourierOrderResponse.properties;
  expect(state).toMatchObject({ type: 'string', enum: ['NEW', 'TAKEN', 'COOKED', 'DONE', 'NO'] });
  const { text } = await app.get('/docs?set=courier');
  expect(text).toContain('id="message/courierOrder"');
});

test('what cannot be created says why', async () => {
  const store = await app.data.store();
  const url = receiver.urlOf('/refused');
  const messagesOf = async (input: object, headers = operator) =>
    (await create({ url, storeId: store.id, ...input }, headers)).body.errors.map(
      ({ message }: { message: string }) => message,
    );
  expect(await messagesOf({ operation: 'courier' })).toEqual([
    expect.stringContaining(
      'No set has an operation "courier" with @webhook; set CARTE_OPERATIONS to the folder that has it, as for the service. Known are eventMessage, orderMessage, courier',
    ),
  ]);
  expect(await messagesOf({ operation: 'courierMenu', kinds: ['STOCK_CHANGED', 'MENU_CHANGED'] })).toEqual([
    expect.stringContaining('The operation courierMenu is not for STOCK_CHANGED, only for MENU_CHANGED.'),
  ]);
  expect(await messagesOf({})).toEqual([expect.stringContaining('A webhook needs at least one kind of event.')]);
  const menus = { 'x-api-key': await app.newKey({ permissions: ['ADMIN', 'READ_MENUS'] }) };
  expect(await messagesOf({ operation: 'orderMessage', kinds: [] }, menus)).toEqual([
    expect.stringContaining('This API key may not read'),
  ]);
});

test('a test has the shape of the operation, and what is delivered is known at once', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id, operation: 'courierOrder' });
  const test = () =>
    app.graphql(
      'mutation ($id: ID!) { testWebhook(input: { webhookId: $id }) { attempt { isDelivered error messageId } } }',
      { id: webhook.id },
      operator,
    );
  expect((await test()).body.data.testWebhook.attempt).toMatchObject({ isDelivered: true, error: null });
  const [tested] = await webhook.messages(1);
  expect(tested?.headers['webhook-id']).toMatch(/^msg_test_/);
  expect(tested && verify(tested, webhook.secret)).toEqual({
    ...{ ref: 'text', state: 'NEW', amounts: { total: 1, tax: '1.00' }, guest: { who: { name: 'text' } } },
    ...{ isRead: 'Y', schema: '1' },
  });

  const lastDelivery = async () => (await webhook.query('lastDeliveredAt')).lastDeliveredAt;
  const seen: string[] = [];
  for (let count = 0; count < 2; count++) {
    const before = seen.at(-1) ?? '';
    await eventually(async () => {
      await app.data.orders(store, 1);
      return (await lastDelivery()) ?? '';
    }).not.toBe(before);
    seen.push(await lastDelivery());
  }
  const [first = '', second = ''] = seen;
  expect(Date.parse(second) - Date.parse(first)).toBeLessThan(10_000);

  // The operation that it had is in no set any more.
  await app.orm.em.fork().execute(`update webhook set operation = 'gone' where id = ?`, [webhook.id]);
  expect((await test()).body.errors[0].message).toContain('set CARTE_OPERATIONS to the folder that has it');
});

test('an event of which there is nothing to send is skipped', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id, operation: 'courierOrder' });
  await webhook.mutate('pauseWebhook');
  const [gone, kept] = await app.data.orders(store, 2);
  await app.orm.em.fork().execute('delete from orders where id = ?', [gone?.id]);
  await webhook.mutate('resumeWebhook');
  const [only] = await webhook.messages(1);
  expect(only?.message.ref).toBe(kept?.id);
  await eventually(() => webhook.query('waitingSince')).toEqual({ waitingSince: null });
  expect(receiver.at(webhook.path)).toHaveLength(1);
});

/** Further processes of the service, with other sets; the database is that of the app. */
async function serve(operations: readonly string[]) {
  const server = await createServer(app.orm, { ...app.server.config, operations });
  await server.ready();
  const close = () => server.close();
  onTestFinished(close);
  return { server, close };
}

test('while no process has the operation, events wait, with a notice and a metric; nothing is lost', async () => {
  const own = await startApp({ webhooks, operations: [] });
  const store = await own.data.store();
  const statement = (text: string, values: unknown[] = []) => own.orm.em.fork().execute(text, values);
  const key = await own.newKey({ permissions: ['ADMIN'] });
  const { body } = await own.graphql(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
    { input: { url: receiver.urlOf('/removed'), storeId: store.id, operation: 'orderMessage' } },
    { 'x-api-key': key },
  );
  const { id } = body.data.createWebhook.webhook;
  // The operation that it had is in no set any more.
  await statement(`update webhook set operation = 'courierOrder' where id = ?`, [id]);
  const orders = await own.data.orders(store, 3);
  const waiting = async () => (await statement('select newest > position as waits from webhook_queue'))[0];
  await eventually(waiting).toEqual({ waits: true });
  // A process looks for such webhooks when it starts, and now and then.
  const second = await createServer(own.orm, { ...own.server.config, operations: [] });
  await second.ready();
  onTestFinished(() => second.close());
  const noticeOf = async () => (await statement('select notice from webhook'))[0]?.notice;
  await eventually(noticeOf).toContain('Its events wait: no set has the operation courierOrder for all of them.');
  const metrics = async () => (await second.inject('/metrics')).payload;
  expect(await metrics()).toContain('carte_webhooks_without_operation 1');
  expect(receiver.at('/removed')).toEqual([]);

  const third = await createServer(own.orm, { ...own.server.config, operations: [setOf('1')] });
  await third.ready();
  onTestFinished(() => third.close());
  await eventually(() => receiver.at('/removed').length).toBe(3);
  expect(receiver.at('/removed').map(({ message }) => message.ref)).toEqual(orders.map(({ id }) => id));
  await eventually(noticeOf).toBeNull();
});

test('an operation that fails is a failed attempt that says why, and is repeated', async () => {
  const { graphqlLimits } = app.server.config;
  const failing = await startApp({
    webhooks,
    operations: [setOf('1')],
    graphqlLimits: { ...graphqlLimits, objects: 1 },
  });
  const store = await failing.data.store();
  const [item] = smallMenu().items;
  const items = ['a', 'b'].map(externalId => ({ ...item, externalId, modifierGroupExternalIds: [] }));
  await failing.data.menu(store, { items } as Parameters<typeof failing.data.menu>[1]);
  const key = await failing.newKey({ permissions: ['ADMIN'] });
  const send = async (query: string, variables: object) =>
    (await failing.graphql(query, variables, { 'x-api-key': key })).body.data;
  const { createWebhook: created } = await send(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
    { input: { url: receiver.urlOf('/failing'), storeId: store.id, operation: 'courierStore' } },
  );
  await failing.orm.em.fork().execute('update store set city = ? where id = ?', ['Lisboa', store.id]);
  const deliveries = 'query ($id: ID!) { webhook(id: $id) { deliveries { nodes { state error } } } }';
  const nodes = async () => (await send(deliveries, created.webhook)).webhook.deliveries.nodes;
  await eventually(nodes).toEqual([
    {
      state: 'FAILING',
      error: expect.stringMatching(/^the operation courierStore failed: The response has too many objects/),
    },
  ]);
  expect(receiver.at('/failing')).toEqual([]);
});

test('processes with old and new sets side by side deliver each message once, in order, in one of both shapes', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id, operation: 'courierOrder' });
  await serve([setOf('2')]);
  const orders = [];
  for (let round = 0; round < 20; round++) orders.push(...(await app.data.orders(store, 1)));
  await webhook.messages(20);
  await eventually(() => webhook.query('waitingSince')).toEqual({ waitingSince: null });
  const received = receiver.at(webhook.path);
  expect(received.map(({ message }) => message.ref)).toEqual(orders.map(({ id }) => id));
  for (const each of received) {
    verify(each, webhook.secret);
    expect(['1', '2']).toContain(each.message.schema);
  }
});

test('the event of a message is in the graph, in the scope of the key', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id, operation: 'courierOrder' });
  const [order] = await app.data.orders(store, 1);
  const [placed] = await webhook.messages(1);
  const query = 'query ($id: ID!) { event(messageId: $id) { kind orderId storeId } }';
  const eventOf = async (id: unknown, headers = {}) => (await app.graphql(query, { id }, headers)).body.data.event;
  expect(await eventOf(placed?.id)).toEqual({ kind: 'ORDER_PLACED', orderId: order?.id, storeId: store.id });
  const other = await app.data.store();
  expect(await eventOf(placed?.id, { 'x-api-key': await app.newKey({ storeIds: [other.id] }) })).toBeNull();
  expect(await eventOf('msg_1')).toBeNull();
  expect(await eventOf('nothing')).toBeNull();
});
