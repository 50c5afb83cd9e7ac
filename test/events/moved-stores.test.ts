import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { saveStores } from '../../src/store/save.ts';
import { openStream } from '../../support/streams.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { startReceiver } from '../support/receiver.ts';

const app = await startApp({ webhooks: { deliver: true, allowHttp: true, allowNetworks: ['127.0.0.1/32'] } });
const receiver = await startReceiver();
const admin = { 'x-api-key': await app.newKey({ permissions: ['ADMIN'] }) };

const execute = (sql: string, values: unknown[] = []) => app.orm.em.fork().execute(sql, values);
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000, interval: 20 });

async function createWebhook(input: object): Promise<{ readonly id: string; readonly path: string }> {
  const path = `/${randomUUID()}`;
  const { body } = await app.graphql(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
    { input: { url: receiver.urlOf(path), kinds: ['ORDER_PLACED'], ...input } },
    admin,
  );
  return { id: body.data.createWebhook.webhook.id, path };
}

async function webhookState(id: string) {
  const { body } = await app.graphql(`{ webhook(id: "${id}") { state notice } }`, {}, admin);
  return body.data.webhook;
}

/** Every way in which a store gets another merchant. */
const moves: Record<string, (storeId: string, merchantId: string) => Promise<unknown>> = {
  saveStore: (id, merchant) =>
    app.graphql(
      'mutation ($input: StoreInput!) { saveStore(input: $input) { store { id } } }',
      { input: { id, name: { translations: { en: 'Baixa' } }, merchant: { id: merchant } } },
      admin,
    ),
  'an import': (id, merchant) =>
    saveStores(operatorFork(app.orm), [{ id, name: { translations: { en: 'Baixa' } }, merchant: { id: merchant } }]),
  'a statement by hand': (id, merchant) => execute('update store set merchant_id = ? where id = ?', [merchant, id]),
};

describe.each(Object.entries(moves))('A store that moves to another merchant by %s', (_name, move) => {
  test('pauses its webhooks, which receive nothing of the new owner', async () => {
    const store = await app.data.store();
    const buyer = await app.data.merchant();
    const webhook = await createWebhook({ storeId: store.id });
    await app.data.orders(store, 1, { customerName: 'guest of the former owner' });
    await eventually(() => receiver.at(webhook.path).length).toBe(1);
    await move(store.id, buyer.id);
    const ofBuyer = await createWebhook({ merchantId: buyer.id });
    await app.data.orders(store, 1, { customerName: 'guest of the new owner' });
    await eventually(() => receiver.at(ofBuyer.path).length).toBe(1);
    expect(await webhookState(webhook.id)).toEqual({
      state: 'PAUSED',
      notice: `Paused because the store moved from merchant "${store.merchant}" to merchant "${buyer.id}". Remove it, or resume it if its endpoint belongs to the new one.`,
    });
    expect(receiver.at(webhook.path)).toMatchObject([{ body: expect.stringContaining('guest of the former owner') }]);
  });

  test('ends its grants, and no other ones', async () => {
    const store = await app.data.store();
    const other = await app.data.store();
    const buyer = await app.data.merchant();
    const [ofBoth, ofBuyer] = [
      await app.newKey({ storeIds: [store.id, other.id] }),
      await app.newKey({ merchantIds: [buyer.id] }),
    ];
    await move(store.id, buyer.id);
    const statusOf = async (key: string, storeId: string) =>
      (await app.get(`/v1/stores/${storeId}`, { 'x-api-key': key })).status;
    expect(await statusOf(ofBoth, store.id)).toBe(404);
    expect(await statusOf(ofBoth, other.id)).toBe(200);
    expect(await statusOf(ofBuyer, store.id)).toBe(200);
  });
});

test.each(['sse', 'websocket'] as const)(
  'a stream by a grant to the store ends with the move, over %s',
  async transport => {
    const store = await app.data.store();
    const key = await app.newKey({ storeIds: [store.id] });
    const query = `subscription { orderEvents(storeId: "${store.id}") { order { customer { name } } } }`;
    const stream = openStream(transport, { url: app.url, key }, { query });
    onTestFinished(() => stream.close());
    // Repeated, since it may come before the stream is open.
    const first = stream.next();
    const timer = setInterval(() => void app.data.orders(store, 1, { customerName: 'of the former owner' }), 100);
    await first.finally(() => clearInterval(timer));
    const buyer = await app.data.merchant();
    await execute('update store set merchant_id = ? where id = ?', [buyer.id, store.id]);
    await app.data.orders(store, 1, { customerName: 'of the new owner' });
    const results = await stream.rest();
    expect(JSON.stringify(results)).not.toContain('of the new owner');
    expect(results.at(-1)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  },
);

test('a store that had no merchant and gets one keeps its webhooks and grants', async () => {
  const store = await app.data.store({ merchant: null });
  const webhook = await createWebhook({ storeId: store.id });
  const key = await app.newKey({ storeIds: [store.id] });
  await execute('update store set merchant_id = ? where id = ?', [(await app.data.merchant()).id, store.id]);
  expect(await webhookState(webhook.id)).toEqual({ state: 'ACTIVE', notice: null });
  expect((await app.get(`/v1/stores/${store.id}`, { 'x-api-key': key })).status).toBe(200);
});

test('a store that is saved again with the same merchant keeps its webhooks', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  await execute(`update store set merchant_id = merchant_id, city = 'Faro' where id = ?`, [store.id]);
  expect(await webhookState(webhook.id)).toEqual({ state: 'ACTIVE', notice: null });
});

test('a webhook that an operator had paused says that its store has moved, so that nobody resumes it unawares', async () => {
  const store = await app.data.store();
  const webhook = await createWebhook({ storeId: store.id });
  await app.graphql(`mutation { pauseWebhook(id: "${webhook.id}") { webhook { id } } }`, {}, admin);
  await execute('update store set merchant_id = null where id = ?', [store.id]);
  expect(await webhookState(webhook.id)).toMatchObject({
    state: 'PAUSED',
    notice: expect.stringContaining(`moved from merchant "${store.merchant}" to no merchant.`),
  });
});
