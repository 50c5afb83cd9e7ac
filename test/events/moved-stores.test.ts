import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { KeyRequest } from '../../src/auth/validate.ts';
import { createReadAccess } from '../../src/database/pool.ts';
import { saveStores } from '../../src/store/save.ts';
import { formerCursor, openStream } from '../../support/streams.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { endOfLog } from '../support/events.ts';
import { startReceiver } from '../support/receiver.ts';

// Scopes in the key cache are older than any sale here.
const app = await startApp({
  keyCacheTtlSeconds: 600,
  webhooks: { deliver: true, allowHttp: true, allowNetworks: ['127.0.0.1/32'] },
});
const receiver = await startReceiver();
const admin = { 'x-api-key': await app.newKey({ permissions: ['ADMIN'] }) };

const access = await createReadAccess(app.orm);
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
      'mutation ($input: SaveStoreInput!) { saveStore(input: $input) { store { id } } }',
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

describe('A store that is sold', () => {
  const secret = 'contacts of the buyer';
  /** The keys that there may be, in the key cache; all of them see another store. */
  async function openCallers() {
    const [store, other] = [await app.data.store(), await app.data.store()];
    const seller = String(store.merchant);
    const { id: buyer } = await app.data.merchant();
    const others = { merchantIds: [String(other.merchant)] };
    const ofBuyer = await app.data.store({ merchant: buyer });
    const requests: [string, Partial<KeyRequest>][] = [
      ['its grant', { storeIds: [store.id, other.id] }],
      ['its grant and one of another store of the buyer', { storeIds: [store.id, other.id, ofBuyer.id] }],
      ['the seller', { merchantIds: [seller, ...others.merchantIds] }],
      ['the buyer', { merchantIds: [buyer, ...others.merchantIds] }],
      ['all', { all: true }],
    ];
    const callers = requests.map(async ([name, request]) => {
      const key = await app.newKey({ merchantIds: [], storeIds: [], ...request });
      expect((await app.get(`/v1/stores/${other.id}`, { 'x-api-key': key })).status).toBe(200);
      return { name, key, isOfBuyer: ['the buyer', 'all'].includes(name) };
    });
    return { store, other, buyer, callers: await Promise.all(callers) };
  }

  /** In one transaction, so that readers see it at once; the other store changes last. */
  const sell = (storeId: string, buyer: string, otherId: string) =>
    execute(`begin;
      update store set merchant_id = '${buyer}', contacts = '{"name": "${secret}"}' where id = '${storeId}';
      update store set city = 'Faro' where id in ('${storeId}');
      update store set city = 'Faro' where id in ('${otherId}');
      commit`);

  const subscription = `subscription ($after: String) { storeEvents(after: $after) { storeId store { contacts } } }`;

  test.each([
    ['sse', 'while it is open'],
    ['websocket', 'while it is open'],
    ['sse', 'before it replays the sale'],
  ] as const)('is in storeEvents over %s of its new owner alone, sold %s', async (transport, when) => {
    const { store, other, buyer, callers } = await openCallers();
    const variables = { after: formerCursor('storeEvents', { position: await endOfLog(access.primary) }) };
    if (when === 'before it replays the sale') await sell(store.id, buyer, other.id);
    const streams = callers.map(({ key }) =>
      openStream(transport, { url: app.url, key }, { query: subscription, variables }),
    );
    onTestFinished(() => {
      for (const stream of streams) stream.close();
    });
    if (when === 'while it is open') {
      await execute(`update store set city = 'Porto' where id = ?`, [other.id]);
      await Promise.all(streams.map(stream => stream.next()));
      await sell(store.id, buyer, other.id);
    }
    const seen = streams.map(async stream => {
      const results: string[] = [];
      do results.push(JSON.stringify(await stream.next()));
      while (!results.at(-1)?.includes(other.id));
      return results.join();
    });
    for (const [index, { name, isOfBuyer }] of callers.entries()) {
      const results = await seen[index];
      expect(results?.includes(secret), `${name}: ${results}`).toBe(isOfBuyer);
      expect(results?.includes(store.id), `${name}: ${results}`).toBe(isOfBuyer);
    }
  });

  test('is not read by its id with a scope that is older', async () => {
    const { store, other, buyer, callers } = await openCallers();
    const [order] = await app.data.orders(store, 1, { customerName: secret });
    await sell(store.id, buyer, other.id);
    for (const { name, key, isOfBuyer } of callers) {
      const query = `{ store(id: "${store.id}") { contacts } order(id: "${order?.id}") { customer { name } } }`;
      const { text } = await app.graphql(query, {}, { 'x-api-key': key });
      expect(text.includes(secret), `${name}: ${text}`).toBe(isOfBuyer);
    }
  });

  test('ends for those who wait for events', async () => {
    const { store, other, buyer, callers } = await openCallers();
    const after = formerCursor('events', { position: await endOfLog(access.primary) });
    const query = `{ events(after: "${after}", waitSeconds: 25) { events { storeId kind orderId } } }`;
    const pages = callers.map(({ key }) => app.graphql(query, {}, { 'x-api-key': key }));
    await eventually(async () => (await app.get('/metrics')).text).toContain(
      `carte_streams_open{transport="poll"} ${callers.length}`,
    );
    await sell(store.id, buyer, other.id);
    for (const [index, { name, isOfBuyer }] of callers.entries()) {
      const { text } = (await pages[index]) ?? {};
      expect(text, name).toContain(other.id);
      expect(text?.includes(store.id), `${name}: ${text}`).toBe(isOfBuyer);
    }
  });
});

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
  await app.graphql(`mutation { pauseWebhook(input: { webhookId: "${webhook.id}" }) { webhook { id } } }`, {}, admin);
  await execute('update store set merchant_id = null where id = ?', [store.id]);
  expect(await webhookState(webhook.id)).toMatchObject({
    state: 'PAUSED',
    notice: expect.stringContaining(`moved from merchant "${store.merchant}" to no merchant.`),
  });
});
