import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { EventCursors } from '../../src/events/cursor.ts';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';
import { startReceiver, verify } from '../support/receiver.ts';

const app = await startApp({ webhooks: { deliver: true, allowHttp: true, allowNetworks: ['127.0.0.1/32'] } });
const receiver = await startReceiver();
const operator = { 'x-api-key': await app.newKey({ name: 'operator', permissions: ['ADMIN'] }) };
const orderKinds = ['ORDER_PLACED', 'ORDER_CHANGED', 'ORDERS_CHANGED'];

/** The machine may be busy. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000, interval: 20 });
const run = async (query: string, variables: object) => {
  const { body } = await app.graphql(query, variables, operator);
  expect(body.errors).toBeUndefined();
  return body.data.result;
};
const mutate = (field: string, id: string, selection: string) =>
  run(`mutation ($id: ID!) { result: ${field}(input: { webhookId: $id }) { ${selection} } }`, { id });
const statement = (text: string, values: unknown[] = []) => app.orm.em.fork().execute(text, values);

/** Creates a webhook with a path of its own at the receiver. */
async function createWebhook(input: object) {
  const path = `/${randomUUID()}`;
  const { secret, webhook } = await run(
    'mutation ($input: CreateWebhookInput!) { result: createWebhook(input: $input) { secret webhook { id } } }',
    { input: { url: receiver.urlOf(path), kinds: orderKinds, ...input } },
  );
  const id: string = webhook.id;
  const query = (selection: string) => run(`query ($id: ID!) { result: webhook(id: $id) { ${selection} } }`, { id });
  /** Waits until so many messages have arrived. */
  const messages = async (count: number) => {
    await eventually(() => receiver.at(path).length).toBeGreaterThanOrEqual(count);
    return receiver.at(path);
  };
  const delivered = () => eventually(() => query('waitingSince')).toEqual({ waitingSince: null });
  return { id, path, secret, query, messages, delivered };
}

const changeStatus = (orderId: string, to: string) =>
  app.graphql(
    'mutation ($orderId: ID!, $to: OrderStatus!) { changeOrderStatus(input: { orderId: $orderId, to: $to }) { order { id } } }',
    {
      orderId,
      to,
    },
  );

test('an order that is placed and accepted is two signed messages, with the order as the REST interface shows it', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  expect(webhook.secret).toMatch(/^whsec_[\w+/]{43}=$/);
  const [order] = await app.data.orders(store, 1);
  await webhook.messages(1);
  await changeStatus(String(order?.id), 'ACCEPTED');
  const [placed, changed] = await webhook.messages(2);
  const { text } = await app.get(`/v1/orders/${order?.id}`);
  expect(placed && verify(placed, webhook.secret)).toMatchObject({
    type: 'order.placed',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { store_id: store.id, order_id: order?.id, status: 'PENDING', order: { status: 'PENDING' } },
  });
  expect(changed && verify(changed, webhook.secret)).toEqual({
    type: 'order.changed',
    timestamp: expect.any(String),
    data: {
      ...{ store_id: store.id, order_id: order?.id, status_before: 'PENDING', status: 'ACCEPTED' },
      order: {
        ...JSON.parse(text),
        ...{ total: order?.price, payments: [], charges: [], discounts: [] },
        steps: [{ at: expect.any(String), status: 'ACCEPTED' }],
      },
    },
  });
  expect(changed?.body).toContain(`"order":${text.slice(0, -1)},`);
  // The fields stand in this order.
  const { timestamp, data } = changed?.message ?? {};
  const { store_id, order_id, status_before, status, order: sent } = data;
  const expected = { store_id, order_id, status_before, status, order: sent };
  expect(changed?.body).toBe(JSON.stringify({ type: 'order.changed', timestamp, data: expected }));
  expect(placed?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^Carte\//),
    'webhook-id': expect.stringMatching(/^msg_[\w-]{22}$/),
  });
  expect(placed && (() => verify(placed, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'))).toThrow('No matching signature');
});

test('the order of a message says how it is served and paid, why it was rejected, and when it will be ready', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  const service = {
    table: '7',
    address: { addressLine1: 'Rua Augusta 1', note: 'ring twice' },
    payments: [{ method: 'card', amount: 1300, state: 'PAID' as const }],
    charges: [{ name: 'Delivery', amount: 300 }],
    discounts: [{ name: 'Welcome', amount: 200, tax: 0 }],
    tip: 0,
  };
  const [order] = await app.data.orders(store, 1, { serviceType: 'DELIVERY', service });
  await app.graphql(
    `mutation ($id: ID!) {
      changeOrderStatus(input: { orderId: $id, to: REJECTED, reason: "no fish", confirmedReadyBy: "2100-01-01T12:00:00Z" }) { order { id } }
    }`,
    { id: order?.id },
  );
  const [, changed] = await webhook.messages(2);
  const readyBy = '2100-01-01T12:00:00.000Z';
  expect(changed && verify(changed, webhook.secret)).toMatchObject({
    data: {
      order: {
        ...{ status: 'REJECTED', total: 1300, service_type: 'DELIVERY', ...service },
        address: { address_line_1: 'Rua Augusta 1', note: 'ring twice' },
        ...{ confirmed_ready_by: readyBy, status_reason: 'no fish' },
        steps: [{ at: expect.any(String), status: 'REJECTED', reason: 'no fish', ready_by: readyBy }],
      },
    },
  });
});

test('a webhook gets the kinds of events that it asked for; that of a menu has its revision', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id, kinds: ['MENU_CHANGED', 'STOCK_CHANGED', 'STORE_CHANGED'] });
  await app.data.orders(store, 1);
  await app.data.menu(store, smallMenu());
  await statement('update store set city = ? where id = ?', ['Lisboa', store.id]);
  const { body } = await app.graphql(`{ store(id: "${store.id}") { menuRevision } }`);
  expect((await webhook.messages(2)).map(({ message }) => [message.type, message.data])).toEqual([
    ['menu.changed', { store_id: store.id, revision: body.data.store.menuRevision }],
    ['store.changed', { store_id: store.id }],
  ]);
});

test('a statement that changes very many orders is one message, without an order', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  await app.data.orders(store, 2_000);
  const messages = await webhook.messages(1);
  expect(messages.map(({ message }) => [message.type, message.data])).toEqual([
    ['orders.changed', { store_id: store.id }],
  ]);
});

test('a webhook of a merchant gets events of its stores alone, one of a store those of the store', async () => {
  const merchant = (await app.data.merchant()).id;
  const [mine, sibling, foreign] = [
    await app.data.store({ merchant }),
    await app.data.store({ merchant }),
    await app.data.store(),
  ];
  const ofMerchant = await createWebhook({ merchantId: merchant });
  const ofStore = await createWebhook({ storeId: mine.id });
  for (const store of [foreign, sibling, mine, foreign]) await app.data.orders(store, 2);
  await ofMerchant.messages(4);
  await ofStore.messages(2);
  await Promise.all([ofMerchant.delivered(), ofStore.delivered()]);
  const storesOf = (path: string) => receiver.at(path).map(({ message }) => message.data.store_id);
  expect(storesOf(ofMerchant.path).toSorted()).toEqual([mine.id, mine.id, sibling.id, sibling.id].toSorted());
  expect(storesOf(ofStore.path)).toEqual([mine.id, mine.id]);
  // What happens to the order after the store has moved to another merchant is not the former merchant's.
  const before = receiver.at(ofMerchant.path).length;
  await statement('update store set merchant_id = ? where id = ?', [foreign.merchant, sibling.id]);
  const [order] = await app.data.orders(sibling, 1);
  await app.data.orders(mine, 1);
  await ofMerchant.messages(before + 1);
  await ofMerchant.delivered();
  expect(JSON.stringify(receiver.at(ofMerchant.path))).not.toContain(order?.id);
});

test('a failure blocks later events of its store and webhook, and nothing else; order is kept', async () => {
  const merchant = (await app.data.merchant()).id;
  const [blocked, other] = [await app.data.store({ merchant }), await app.data.store({ merchant })];
  const webhook = await createWebhook({ merchantId: merchant });
  const beside = await createWebhook({ merchantId: merchant });
  receiver.respond(webhook.path, (response, { message }) =>
    response.writeHead(message.data.store_id === blocked.id ? 500 : 204).end(),
  );
  const orders = await app.data.orders(blocked, 3);
  const others = await app.data.orders(other, 2);
  await beside.messages(5);
  await webhook.messages(3);
  const idsOf = (storeId: string) =>
    receiver.at(webhook.path).flatMap(({ message: { data } }) => (data.store_id === storeId ? [data.order_id] : []));
  await eventually(() => idsOf(other.id)).toEqual(others.map(({ id }) => id));
  // Once, or again after some seconds.
  expect(new Set(idsOf(blocked.id))).toEqual(new Set([orders[0]?.id]));
  const { failingSince, waitingSince, deliveries } = await webhook.query(
    'failingSince waitingSince deliveries { nodes { messageId storeId orderId kind state httpStatus error attemptCount } }',
  );
  expect(waitingSince).toEqual(expect.any(String));
  expect([failingSince, null]).toContain(failingSince);
  const failing = receiver.at(webhook.path).find(({ message }) => message.data.store_id === blocked.id);
  expect(deliveries.nodes).toContainEqual({
    ...{ messageId: failing?.id, storeId: blocked.id, orderId: orders[0]?.id, kind: 'ORDER_PLACED' },
    ...{ state: 'FAILING', httpStatus: 500, error: 'the response has status 500', attemptCount: expect.any(Number) },
  });
  // It is retried after seconds; `resumeWebhook` does not wait for that.
  receiver.accept(webhook.path);
  await mutate('resumeWebhook', webhook.id, 'webhook { state }');
  await webhook.delivered();
  const arrived = idsOf(blocked.id);
  expect(arrived.filter((id, index) => id !== arrived[index - 1])).toEqual(orders.map(({ id }) => id));
  const repeated = receiver.at(webhook.path).filter(({ id }) => id === failing?.id);
  expect(repeated.length).toBeGreaterThanOrEqual(2);
  for (const received of repeated) verify(received, webhook.secret);
  expect(await webhook.query('failingSince deliveries(first: 2) { nodes { state attemptCount } }')).toMatchObject({
    failingSince: null,
  });
});

test('a paused webhook gets nothing until it is resumed, then everything in order', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  expect(await mutate('pauseWebhook', webhook.id, 'webhook { state pausedAt }')).toEqual({
    webhook: { state: 'PAUSED', pausedAt: expect.any(String) },
  });
  const witness = await createWebhook({ storeId: store.id });
  const orders = await app.data.orders(store, 5);
  await witness.messages(5);
  expect(receiver.at(webhook.path)).toEqual([]);
  await mutate('resumeWebhook', webhook.id, 'webhook { state }');
  const messages = await webhook.messages(5);
  expect(messages.map(({ message }) => message.data.order_id)).toEqual(orders.map(({ id }) => id));
});

test('a webhook that is resumed during an attempt waits for its response', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  receiver.respond(webhook.path, 500);
  const orders = await app.data.orders(store, 2);
  await eventually(() => webhook.query('failingSince')).not.toEqual({ failingSince: null });
  const response = Promise.withResolvers<void>();
  receiver.respond(webhook.path, accepted => void response.promise.then(() => accepted.end()));
  await statement('update webhook_queue set next_attempt_at = now() where webhook_id = ?', [webhook.id]);
  const before = (await webhook.messages(2)).length;
  await mutate('resumeWebhook', webhook.id, 'webhook { id }');
  const queues =
    'select claim is not null and next_attempt_at > now() as "isClaimed" from webhook_queue where webhook_id = ?';
  expect(await statement(queues, [webhook.id])).toEqual([{ isClaimed: true }]);
  expect(receiver.at(webhook.path)).toHaveLength(before);
  response.resolve();
  await webhook.delivered();
  const ids = receiver.at(webhook.path).map(({ message }) => message.data.order_id);
  expect(ids.slice(before - 1)).toEqual(orders.map(({ id }) => id));
});

test('an event that is delivered before it is in the queue is not delivered again', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  receiver.respond(webhook.path, 503);
  await app.data.orders(store, 1);
  await webhook.messages(1);
  const claims = 'select claim from webhook_queue where webhook_id = ? and attempts > 0';
  await eventually(() => statement(claims, [webhook.id])).toEqual([{ claim: null }]);
  await app.orm.em.fork().transactional(async em => {
    // As if another process were slow at it.
    await em.execute('select from webhook_progress for update');
    await app.data.orders(store, 2);
    receiver.accept(webhook.path);
    await mutate('resumeWebhook', webhook.id, 'webhook { state }');
    await webhook.messages(4);
    await webhook.delivered();
  });
  await app.data.orders(store, 1);
  const [failed, ...delivered] = (await webhook.messages(5)).map(({ id }) => id);
  await webhook.delivered();
  expect(failed).toBe(delivered[0]);
  expect(new Set(delivered).size).toBe(delivered.length);
  const cursors = new EventCursors((await createReadAccess(app.orm)).primary);
  const positions = await Promise.all(delivered.map(id => cursors.positionOfMessage(String(id))));
  expect(positions).toEqual(positions.toSorted((a, b) => Number(a) - Number(b)));
  expect(await webhook.query('notice')).toEqual({ notice: null });
});

test('an endpoint that responds with 410 is paused, and gets everything once it is resumed', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  receiver.respond(webhook.path, 410);
  await app.data.orders(store, 3);
  await eventually(() => webhook.query('state notice')).toEqual({
    state: 'PAUSED',
    notice: 'Paused because the endpoint responded with 410 Gone. Remove it, or resume it if the endpoint is back.',
  });
  expect(receiver.at(webhook.path)).toHaveLength(1);
  receiver.accept(webhook.path);
  await mutate('resumeWebhook', webhook.id, 'webhook { id }');
  const [refused, ...accepted] = await webhook.messages(4);
  expect(refused?.id).toBe(accepted[0]?.id);
  for (const message of accepted) expect(verify(message, webhook.secret)).toMatchObject({ type: 'order.placed' });
});

test('a removed webhook has no secret any more, and cannot be used', async () => {
  const webhook = await createWebhook({ storeId: (await app.data.store()).id });
  await mutate('removeWebhook', webhook.id, 'webhook { id }');
  const rows = await statement('select secret, previous_secret from webhook where id = ?', [webhook.id]);
  expect(rows).toEqual([{ secret: '', previous_secret: null }]);
  for (const field of ['resumeWebhook', 'pauseWebhook', 'testWebhook', 'rotateWebhookSecret']) {
    const { body } = await app.graphql(
      `mutation { ${field}(input: { webhookId: "${webhook.id}" }) { __typename } }`,
      {},
      operator,
    );
    expect(body.errors[0].message).toBe(`input.webhookId: The webhook ${webhook.id} is removed; create a new one.`);
  }
  expect(await mutate('removeWebhook', webhook.id, 'webhook { state }')).toEqual({ webhook: { state: 'REMOVED' } });
});

test('after a rotation, messages are signed with the new secret and for a day with the old one', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  const { secret } = await mutate('rotateWebhookSecret', webhook.id, 'secret webhook { previousSecretExpiresAt }');
  await app.data.orders(store, 1);
  const [first] = await webhook.messages(1);
  for (const valid of [webhook.secret, secret])
    expect(first && verify(first, valid)).toMatchObject({ type: 'order.placed' });
  expect(String(first?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  await statement('update webhook set previous_secret_expires_at = now() where id = ?', [webhook.id]);
  expect(await mutate('testWebhook', webhook.id, 'attempt { isDelivered httpStatus error }')).toEqual({
    attempt: { isDelivered: true, httpStatus: 200, error: null },
  });
  const [, tested] = await webhook.messages(2);
  expect(tested && verify(tested, secret)).toMatchObject({ type: 'webhook.test', data: { webhook_id: webhook.id } });
  expect(tested && (() => verify(tested, webhook.secret))).toThrow('No matching signature');
});

test('messages that follow one under way are signed with both secrets from the rotation on', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  const held = Promise.withResolvers<ServerResponse>();
  receiver.respond(webhook.path, response =>
    receiver.at(webhook.path).length === 1 ? held.resolve(response) : response.end(),
  );
  await app.data.orders(store, 3);
  const response = await held.promise;
  const { secret } = await mutate('rotateWebhookSecret', webhook.id, 'secret');
  response.end();
  const [, ...later] = await webhook.messages(3);
  for (const message of later) {
    for (const valid of [webhook.secret, secret])
      expect(verify(message, valid)).toMatchObject({ type: 'order.placed' });
  }
});

test('nothing follows a message under way when the webhook is paused meanwhile', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  const held = Promise.withResolvers<ServerResponse>();
  receiver.respond(webhook.path, held.resolve);
  await app.data.orders(store, 2);
  const response = await held.promise;
  await mutate('pauseWebhook', webhook.id, 'webhook { id }');
  receiver.accept(webhook.path);
  response.end();
  await eventually(() => webhook.query('deliveries { nodes { state } }')).toEqual({
    deliveries: { nodes: [{ state: 'DELIVERED' }] },
  });
  expect(receiver.at(webhook.path)).toHaveLength(1);
});

test('a message can be sent again, with the same id and what the order is now', async () => {
  const store = await app.data.store();
  const [webhook, foreign] = [
    await createWebhook({ storeId: store.id }),
    await createWebhook({ storeId: (await app.data.store()).id }),
  ];
  const [order] = await app.data.orders(store, 1);
  const [placed] = await webhook.messages(1);
  await changeStatus(String(order?.id), 'REJECTED');
  await webhook.messages(2);
  const redeliver = (id: string, messageId: string | undefined) =>
    app.graphql(
      'mutation ($id: ID!, $messageId: ID!) { redeliverWebhookMessage(input: { webhookId: $id, messageId: $messageId }) { attempt { isDelivered messageId } } }',
      { id, messageId },
      operator,
    );
  const { body } = await redeliver(webhook.id, placed?.id);
  expect(body.data.redeliverWebhookMessage).toEqual({ attempt: { isDelivered: true, messageId: placed?.id } });
  const again = (await webhook.messages(3)).at(-1);
  expect(again?.message).toEqual({
    ...placed?.message,
    data: {
      ...placed?.message.data,
      order: {
        ...placed?.message.data.order,
        ...{ status: 'REJECTED', completed_at: expect.any(String) },
        steps: [{ at: expect.any(String), status: 'REJECTED' }],
      },
    },
  });
  expect(await webhook.query('deliveries { nodes { messageId attemptCount state } }')).toMatchObject({
    deliveries: { nodes: [{ attemptCount: 1 }, { messageId: placed?.id, attemptCount: 2, state: 'DELIVERED' }] },
  });
  for (const [id, messageId] of [
    [foreign.id, placed?.id],
    [webhook.id, 'msg_1'],
    [webhook.id, 'x'],
  ] as const) {
    const refused = await redeliver(id, messageId);
    expect(refused.body.errors[0].message).toBe(
      `input.messageId: The log has no event of the webhook ${id} with the message id "${messageId}".`,
    );
  }
});

test('all events since a time can be delivered again, in order', async () => {
  const merchant = (await app.data.merchant()).id;
  const stores = [await app.data.store({ merchant }), await app.data.store({ merchant })];
  const webhook = await createWebhook({ merchantId: merchant });
  for (const store of stores) await app.data.orders(store, 3);
  await webhook.messages(6);
  await webhook.delivered();
  const times = receiver.at(webhook.path).map(({ message }) => message.timestamp);
  const { eventCount } = await run(
    'mutation ($id: ID!, $since: DateTime!) { result: redeliverWebhookEvents(input: { webhookId: $id, since: $since }) { eventCount } }',
    { id: webhook.id, since: times.toSorted()[2] },
  );
  expect(eventCount).toBeGreaterThanOrEqual(4);
  const messages = await webhook.messages(6 + eventCount);
  await webhook.delivered();
  const ofStore = (list: typeof messages, storeId: string | undefined) =>
    list.filter(({ message }) => message.data.store_id === storeId).map(({ id }) => id);
  for (const { id } of stores) {
    const first = ofStore(messages.slice(0, 6), id);
    const again = ofStore(receiver.at(webhook.path).slice(6), id);
    expect(again.length).toBeGreaterThan(0);
    expect(again).toEqual(first.slice(-again.length));
  }
});

describe('after three days of failures', () => {
  const failFor = (table: string, id: string) =>
    statement(
      `update ${table} set failing_since = now() - interval '73 hours' where ${table === 'webhook' ? 'id' : 'webhook_id'} = ?`,
      [id],
    );
  /** Has the queues of a webhook try again now. */
  const retry = async (id: string) => {
    await statement('update webhook_queue set next_attempt_at = now() where webhook_id = ?', [id]);
  };

  test('a webhook that accepts nothing is paused, with a notice', async () => {
    const store = await app.data.store();
    const webhook = await createWebhook({ storeId: store.id });
    receiver.respond(webhook.path, 503);
    await app.data.orders(store, 1);
    await webhook.messages(1);
    await eventually(() => webhook.query('failingSince')).not.toEqual({ failingSince: null });
    await failFor('webhook', webhook.id);
    await failFor('webhook_queue', webhook.id);
    await retry(webhook.id);
    await eventually(() => webhook.query('state notice')).toEqual({
      state: 'PAUSED',
      notice: 'Paused after three days of failures: the response has status 503.',
    });
    receiver.accept(webhook.path);
    await mutate('resumeWebhook', webhook.id, 'webhook { id }');
    await webhook.delivered();
    expect(await webhook.query('state notice failingSince')).toEqual({
      state: 'ACTIVE',
      notice: null,
      failingSince: null,
    });
  });

  test('a message that the endpoint refuses while it accepts others is given up, and can be sent again', async () => {
    const store = await app.data.store();
    const webhook = await createWebhook({ storeId: store.id });
    receiver.respond(webhook.path, (response, { message }) =>
      response.writeHead(message.data.order.customer.name === 'Refused' ? 400 : 200).end(),
    );
    await app.data.orders(store, 1, { customerName: 'Refused' });
    await app.data.orders(store, 1);
    await webhook.messages(1);
    await eventually(() => webhook.query('failingSince')).not.toEqual({ failingSince: null });
    await failFor('webhook_queue', webhook.id);
    await retry(webhook.id);
    await webhook.delivered();
    const { notice, deliveries } = await webhook.query('notice deliveries { nodes { state httpStatus attemptCount } }');
    const [refused] = receiver.at(webhook.path);
    expect(notice).toBe(`The message ${refused?.id} was given up after three days: the response has status 400.`);
    expect(deliveries.nodes).toEqual([
      { state: 'DELIVERED', httpStatus: 200, attemptCount: 1 },
      { state: 'GIVEN_UP', httpStatus: 400, attemptCount: expect.any(Number) },
    ]);
  });
});

test('events that are deleted before they are delivered are a notice at once, and later ones are delivered', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  const idle = await createWebhook({ storeId: store.id, kinds: ['MENU_CHANGED'] });
  const [received] = await app.data.orders(store, 1);
  const [first] = await webhook.messages(1);
  expect(first?.message.data.order_id).toBe(received?.id);
  await webhook.delivered();
  await mutate('pauseWebhook', webhook.id, 'webhook { id }');
  const lost = await app.data.orders(store, 2);
  await eventually(() => statement('select from event where order_id = ?', [lost[1]?.id])).toHaveLength(1);
  await statement('delete from event where store_id = ?', [store.id]);
  const before = await webhook.query('notice lostEventCount');
  expect(before.lostEventCount).toBe(2);
  expect(before.notice).toMatch(
    /^Events that were deleted from the log before they were delivered: 2, from \S+Z to \S+Z\.$/,
  );
  expect(await idle.query('notice lostEventCount')).toEqual({ notice: null, lostEventCount: 0 });
  const { body } = await app.graphql(
    `mutation ($id: ID!, $since: DateTime!, $messageId: ID!) {
      redeliverWebhookEvents(input: { webhookId: $id, since: $since }) { eventCount }
      redeliverWebhookMessage(input: { webhookId: $id, messageId: $messageId }) { attempt { messageId } }
    }`,
    { id: webhook.id, since: first?.message.timestamp, messageId: first?.id },
    operator,
  );
  expect(body.errors).toMatchObject(
    ['since', 'messageId'].map(name => ({
      extensions: { errors: [{ path: ['input', name], type: 'cursor_expired' }] },
    })),
  );
  const [kept] = await app.data.orders(store, 1);
  await mutate('resumeWebhook', webhook.id, 'webhook { id }');
  const [, message] = await webhook.messages(2);
  expect(message?.message.data.order_id).toBe(kept?.id);
  expect(await webhook.query('notice lostEventCount')).toEqual({ notice: null, lostEventCount: 0 });
});

test('a webhook is delivered while those of another merchant hang', async () => {
  const [flooded, calm] = [await app.data.store(), await app.data.store()];
  const hanging: ServerResponse[] = [];
  const others = await Promise.all(
    Array.from({ length: 9 }, () => createWebhook({ merchantId: flooded.merchant, kinds: ['ORDER_PLACED'] })),
  );
  for (const { path } of others) receiver.respond(path, response => void hanging.push(response));
  const webhook = await createWebhook({ storeId: calm.id });
  const stores = await Promise.all(
    Array.from({ length: 8 }, () => app.data.store({ merchant: flooded.merchant ?? null })),
  );
  for (const store of stores) await app.data.orders(store, 1);
  await eventually(() => hanging.length).toBeGreaterThanOrEqual(64);
  await app.data.orders(calm, 1);
  await webhook.messages(1);
  expect(hanging).toHaveLength(64);
  for (const { id } of others) await mutate('removeWebhook', id, 'webhook { id }');
  for (const response of hanging) response.end();
});

test('createWebhook reports every error with its path; webhooks and metrics show no secret', async () => {
  const errorsOf = async (input: object) => {
    const { body } = await app.graphql(
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }',
      { input },
      operator,
    );
    return body.errors[0].extensions.errors ?? body.errors[0].message;
  };
  expect(await errorsOf({ url: 'http://10.0.0.1/', storeId: 'no-such', kinds: [] })).toEqual([
    {
      path: ['input', 'url'],
      type: 'value_error',
      message:
        '10.0.0.1 is not a public address; the operator can allow its network with CARTE_WEBHOOK_ALLOW_NETWORKS.',
    },
    { path: ['input', 'storeId'], type: 'reference_not_found', message: 'There is no store "no-such".' },
    { path: ['input', 'kinds'], type: 'too_short', message: 'A webhook needs at least one kind of event.' },
  ]);
  const url = receiver.urlOf('/');
  const oneSubject = 'A webhook is for one merchant with all its stores, or for one store.';
  expect(await errorsOf({ url, kinds: orderKinds })).toMatchObject([{ message: oneSubject }]);
  expect(await errorsOf({ url, kinds: orderKinds, storeId: 'a', merchantId: 'b' })).toMatchObject([
    { message: oneSubject },
  ]);
  expect(await errorsOf({ url, kinds: ['ORDER_EATEN'], storeId: 'a' })).toMatchObject([
    { path: ['input', 'kinds', 0], message: expect.stringContaining('does not exist in "EventKind" enum') },
  ]);
  const merchantId = (await app.data.merchant()).id;
  expect(await errorsOf({ url: `${url}/\0`, kinds: orderKinds, merchantId })).toMatchObject([
    { path: ['input', 'url'], type: 'value_error', message: 'The URL contains the control character U+0000.' },
  ]);
  expect(await errorsOf({ url, kinds: orderKinds, merchantId: 'a\0' })).toMatchObject([
    { type: 'reference_not_found' },
  ]);
  const listed = await app.graphql(
    '{ webhooks { nodes { id url state store { id } deliveries { nodes { messageId } } } } }',
    {},
    operator,
  );
  expect(listed.body.data.webhooks.nodes.length).toBeGreaterThan(5);
  const metrics = await app.get('/metrics');
  expect(metrics.text).toMatch(/^carte_webhook_attempt_duration_seconds_count\{state="delivered"\} \d/m);
  expect(metrics.text).toMatch(/^carte_webhooks\{state="active"\} \d/m);
  expect(metrics.text).toMatch(/^carte_webhook_lag_seconds \d/m);
  expect(metrics.text).toMatch(/^carte_webhook_lost_events \d/m);
  expect(metrics.text).toMatch(/^carte_event_log_bytes [1-9]/m);
  expect(listed.text + metrics.text).not.toContain('whsec_');
  for (const field of ['rotateWebhookSecret', 'pauseWebhook', 'resumeWebhook', 'removeWebhook', 'testWebhook']) {
    expect(
      await run(`mutation { result: ${field}(input: { webhookId: "no\\u0000such" }) { __typename } }`, {}),
    ).toBeNull();
  }
});

test('deliveries are paged, newest first', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  await app.data.orders(store, 3);
  const messages = await webhook.messages(3);
  await webhook.delivered();
  const page = async (args: string) => {
    const selection = 'nodes { messageId } pageInfo { hasPreviousPage hasNextPage startCursor endCursor } totalCount';
    const { deliveries } = await webhook.query(`deliveries(${args}) { ${selection} }`);
    expect(deliveries.totalCount).toBe(3);
    const { hasPreviousPage, hasNextPage, ...cursors } = deliveries.pageInfo;
    const ids = deliveries.nodes.map(({ messageId }: { messageId: string }) => messageId);
    return { ...cursors, shown: [ids, hasPreviousPage, hasNextPage] };
  };
  const [newest, middle, oldest] = messages.map(({ id }) => id).toReversed();
  const first = await page('first: 2');
  expect(first.shown).toEqual([[newest, middle], false, true]);
  const next = await page(`first: 2, after: "${first.endCursor}"`);
  expect(next.shown).toEqual([[oldest], true, false]);
  expect((await page(`last: 1, before: "${next.startCursor}"`)).shown).toEqual([[middle], true, true]);
  expect((await page('last: 1')).shown).toEqual([[oldest], true, false]);
  const forged = Buffer.from('delivery2 0 x\0').toString('base64url');
  expect((await page(`before: "${forged}"`)).shown[0]).toHaveLength(3);
});

test('the fields of many webhooks take one statement each', async () => {
  const selection = '{ nodes { waitingSince store { id } merchant { id } deliveries { nodes { state } totalCount } } }';
  const { result, statements } = await app.statements.during(() =>
    app.graphql(`{ webhooks(first: 10) ${selection} }`, {}, operator),
  );
  expect(result.body.data.webhooks.nodes).toHaveLength(10);
  for (const text of [
    'where webhook_id = any ($1) and newest > position',
    'where webhook_id = w.id',
    'from webhook_delivery where webhook_id = any ($1)',
  ]) {
    expect(statements.filter(sent => sent.includes(text))).toHaveLength(1);
  }
});
