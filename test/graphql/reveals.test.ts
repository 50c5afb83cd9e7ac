import { describe, expect, test } from 'vitest';
import { loadPublicSchema } from '../../src/graphql/schema.ts';
import { type ReadPermission, readPermissions, writePermissions } from '../../src/scope.ts';
import { sharedApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

const app = await sharedApp();
const execute = (sql: string, values: unknown[] = []) => app.orm.em.fork().execute(sql, values);

const everything = [...writePermissions, 'ADMIN'] as const;
const newKey = (reads: readonly ReadPermission[]) =>
  app.newKey({ all: true, permissions: [...everything, ...reads], name: 'caller' });

const place = (storeId: string, idempotencyKey: string, name = 'x') => `placeOrder(input: {
  storeId: "${storeId}", idempotencyKey: "${idempotencyKey}", customer: { name: "${name}", phone: "" }, lines: [{ itemExternalId: "item" }]
})`;

const allDay = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map(dayOfWeek => ({
  dayOfWeek,
  timePeriods: [{ startTime: '00:00', endTime: '24:00' }],
}));
const menuOf = (text: string, storeId: string) => {
  const { menus, ...rest } = smallMenu(text);
  return { storeId, ...rest, menus: (menus ?? []).map(menu => ({ ...menu, availability: allDay })) };
};

/** A store with values that nobody else has, by the permission that they need. */
async function plant() {
  const merchant = await app.data.merchant({ brandName: 'secret-brand' });
  const store = await app.data.store({
    merchant: merchant.id,
    city: 'secret-city',
    contacts: { name: 'secret-contact' },
    phone: 'secret-phone',
  });
  const colleague = {
    'x-api-key': await app.newKey({ all: true, permissions: ['MENU', 'ORDERS'], name: 'secret-colleague' }),
  };
  const replace =
    'mutation ($input: ReplaceMenuConfigurationInput!) { replaceMenuConfiguration(input: $input) { store { menuRevision } } }';
  const former = await app.graphql(replace, { input: menuOf('secret-former', store.id) }, colleague);
  const current = await app.graphql(replace, { input: menuOf('secret-dish', store.id) }, colleague);
  const [closed] = await app.data.orders(store, 1, { customerName: 'secret-guest', status: 'STORE_CANCELLED' });
  const placed = await app.graphql(
    `mutation { ${place(store.id, 'taken', 'secret-guest')} { order { id } } }`,
    {},
    colleague,
  );
  const gone = await app.graphql(`mutation { ${place(store.id, 'gone')} { order { id } } }`, {}, colleague);
  const placedId: string = placed.body.data.placeOrder.order.id;
  const goneId: string = gone.body.data.placeOrder.order.id;
  await execute('delete from orders where id = ?', [goneId]);
  const webhook = await app.graphql(
    `mutation { createWebhook(input: { url: "http://127.0.0.1:1/", storeId: "${store.id}", kinds: [ORDER_PLACED] }) { webhook { id } } }`,
    {},
    { 'x-api-key': await app.newKey({ all: true, permissions: ['ADMIN'] }) },
  );
  const formerRevision: number = former.body.data.replaceMenuConfiguration.store.menuRevision;
  const currentRevision: number = current.body.data.replaceMenuConfiguration.store.menuRevision;
  const secrets: Record<(typeof readPermissions)[number], readonly string[]> = {
    READ_MENUS: [
      'secret-dish',
      'secret-city',
      'secret-brand',
      'secret-contact',
      'secret-phone',
      String(currentRevision),
    ],
    READ_ORDERS: ['secret-guest', 'STORE_CANCELLED', placedId, goneId],
    READ_HISTORY: ['secret-former', 'secret-colleague'],
  };
  return {
    store,
    merchant,
    closedId: String(closed?.id),
    webhookId: String(webhook.body.data.createWebhook.webhook.id),
    formerRevision,
    currentRevision,
    secrets,
  };
}

/** What a caller may try with each mutation, with what it may know. */
const attempts: Record<string, (planted: Awaited<ReturnType<typeof plant>>) => readonly string[]> = {
  replaceMenuConfiguration: ({ store }) => [
    `replaceMenuConfiguration(input: { storeId: "${store.id}", expectedMenuRevision: 1, menus: [], categories: [], items: [], modifierGroups: [], modifierItems: [] }) { __typename }`,
    `replaceMenuConfiguration(input: { storeId: "${store.id}", menus: [], categories: [{ externalId: "c", itemExternalIds: ["item"] }], items: [], modifierGroups: [], modifierItems: [] }) { __typename }`,
    `replaceMenuConfiguration(input: { storeId: "${store.id}", expectedMenuRevision: 1, menus: [], categories: [], items: [], modifierGroups: [], modifierItems: [] }) { store { address { city } items { name { translations } } } }`,
  ],
  setStock: ({ store }) => [
    `setStock(input: { storeId: "${store.id}", items: [{ externalId: "no-such", inStock: false }] }) { __typename }`,
    `setStock(input: { storeId: "${store.id}", items: [{ externalId: "item", inStock: true }] }) { store { contacts menuRevision } }`,
  ],
  changePrices: ({ store }) => [
    `changePrices(input: { storeId: "${store.id}", items: [{ externalId: "item", price: -1 }] }) { __typename }`,
    `changePrices(input: { storeId: "${store.id}", expectedMenuRevision: 1, items: [{ externalId: "item", price: 1 }] }) { __typename }`,
    `changePrices(input: { storeId: "${store.id}", expectedMenuRevision: 1, items: [{ externalId: "item", price: 1 }] }) { store { address { city } } }`,
  ],
  setSpecialHours: ({ store }) => [
    `setSpecialHours(input: { storeId: "${store.id}", hours: [] }) { __typename }`,
    `setSpecialHours(input: { storeId: "${store.id}", hours: [{ date: "x" }] }) { store { phone } }`,
  ],
  setStoreOrdering: ({ store }) => [
    `setStoreOrdering(input: { storeId: "${store.id}", state: OPEN }) { __typename }`,
    `setStoreOrdering(input: { storeId: "${store.id}", state: OPEN }) { store { merchant { brandName } orders { nodes { id } } } }`,
  ],
  placeOrder: ({ store }) => [
    `${place(store.id, 'taken')} { __typename }`,
    `${place(store.id, 'gone', 'another')} { __typename }`,
    `${place(store.id, 'gone')} { __typename }`,
    `${place(store.id, 'taken')} { order { id status customer { name } } }`,
  ],
  changeOrderStatus: ({ closedId }) =>
    [
      'to: READY',
      'to: READY, from: ACCEPTED',
      'to: READY, idempotent: true',
      'to: READY, from: ACCEPTED, idempotent: true',
    ].flatMap(change => [
      `changeOrderStatus(input: { orderId: "${closedId}", ${change} }) { __typename }`,
      `changeOrderStatus(input: { orderId: "${closedId}", ${change} }) { order { status } }`,
    ]),
  eraseGuest: ({ merchant }) => [
    'eraseGuest(input: { phones: ["2345678"], all: true }) { __typename }',
    `eraseGuest(input: { phones: ["2345678"], merchantId: "${merchant.id}" }) { __typename }`,
    'eraseGuest(input: { phones: ["no-such"] }) { __typename }',
  ],
  markOrders: ({ store, closedId }) => [
    `markOrders(input: { orderIds: ["${closedId}", "no-such"], isRead: true }) { __typename }`,
    `markOrders(input: { storeId: "${store.id}", orderIds: ["${closedId}"], isRead: true }) { orders { status customer { name } } }`,
  ],
  saveStore: ({ merchant }) => [
    `saveStore(input: { id: "new-store", name: { translations: {} }, merchant: { id: "no-such" } }) { __typename }`,
    `saveStore(input: { id: "new-store", name: { translations: {} }, merchant: { id: "${merchant.id}" } }) { store { merchant { brandName } } }`,
  ],
  saveMerchant: ({ merchant }) => [
    `saveMerchant(input: { id: "${merchant.id}", brandName: "secret-brand", createdAt: "x" }) { __typename }`,
    `saveMerchant(input: { id: "new-merchant", brandName: "x" }) { merchant { stores { nodes { address { city } } } } }`,
  ],
  createApiKey: ({ store, merchant }) => [
    `createApiKey(input: { name: "x", storeIds: ["${store.id}"], merchantIds: ["${merchant.id}"] }) { __typename }`,
    `createApiKey(input: { name: "x", storeIds: ["${store.id}"], permissions: [READ_MENUS] }) { apiKey { scope { stores { contacts } } } }`,
  ],
  rotateApiKey: () => ['rotateApiKey(input: { apiKeyId: "no-such" }) { secret }'],
  revokeApiKey: () => ['revokeApiKey(input: { apiKeyId: "no-such" }) { __typename }'],
  createWebhook: ({ store }) => [
    `createWebhook(input: { url: "http://127.0.0.1:1/", storeId: "${store.id}", kinds: [ORDER_PLACED, MENU_CHANGED] }) { secret }`,
    `createWebhook(input: { url: "http://127.0.0.1:1/", storeId: "${store.id}", kinds: [] }) { webhook { store { address { city } } } }`,
  ],
  rotateWebhookSecret: () => ['rotateWebhookSecret(input: { webhookId: "no-such" }) { __typename }'],
  pauseWebhook: ({ webhookId }) => [
    `pauseWebhook(input: { webhookId: "${webhookId}" }) { webhook { deliveries { nodes { orderId } } store { address { city } } } }`,
    `pauseWebhook(input: { webhookId: "${webhookId}" }) { __typename }`,
  ],
  resumeWebhook: ({ webhookId }) => [
    `resumeWebhook(input: { webhookId: "${webhookId}" }) { webhook { notice deliveries { nodes { kind } } } }`,
  ],
  testWebhook: ({ webhookId }) => [`testWebhook(input: { webhookId: "${webhookId}" }) { error }`],
  redeliverWebhookMessage: ({ webhookId }) => [
    `redeliverWebhookMessage(input: { webhookId: "${webhookId}", messageId: "msg_1" }) { error }`,
  ],
  redeliverWebhookEvents: ({ webhookId }) => [
    `redeliverWebhookEvents(input: { webhookId: "${webhookId}", since: "2020-01-01" }) { webhook { notice } }`,
  ],
  restoreMenuConfiguration: ({ store, formerRevision }) => [
    `restoreMenuConfiguration(input: { storeId: "${store.id}", revision: ${formerRevision} }) { __typename }`,
    `restoreMenuConfiguration(input: { storeId: "${store.id}", revision: 1 }) { __typename }`,
    `restoreMenuConfiguration(input: { storeId: "${store.id}", revision: ${formerRevision}, expectedMenuRevision: 1 }) { __typename }`,
    `restoreMenuConfiguration(input: { storeId: "${store.id}", revision: ${formerRevision} }) { store { menuHistory { nodes { keyName } } } }`,
  ],
  cancelGuestOrder: () => ['cancelGuestOrder(input: { token: "no-such" }) { __typename }'],
  removeWebhook: () => ['removeWebhook(input: { webhookId: "no-such" }) { __typename }'],
};

test('every mutation is among those that are tried', () => {
  expect(Object.keys(attempts).toSorted()).toEqual(
    Object.keys(loadPublicSchema().getMutationType()?.getFields() ?? {}).toSorted(),
  );
});

const subsets: ReadPermission[][] = [
  ...readPermissions.flatMap(one => [[one], readPermissions.filter(other => other !== one)]),
  ['READ_OWN_ORDERS'],
  ['READ_MENUS', 'READ_OWN_ORDERS', 'READ_HISTORY'],
];

describe.each(subsets.map(reads => [reads.join(' and '), reads] as const))(
  'A key that reads with %s',
  (_name, reads) => {
    test('learns nothing else by writing', async () => {
      const planted = await plant();
      const headers = { 'x-api-key': await newKey(reads) };
      const hidden = readPermissions
        .filter(permission => !reads.includes(permission))
        .flatMap(permission => planted.secrets[permission]);
      for (const list of Object.values(attempts)) {
        for (const attempt of list(planted)) {
          // `secret-brand` is what the caller sends itself.
          const { text } = await app.graphql(`mutation { ${attempt} }`, {}, headers);
          for (const secret of hidden) expect(text, attempt).not.toContain(secret);
        }
      }
      const { body } = await app.graphql(`{ store(id: "${planted.store.id}") { items { name { translations } } } }`);
      expect(JSON.stringify(body).includes('secret-former')).toBe(reads.includes('READ_HISTORY'));
    });

    test('finds stores only by what it reads', async () => {
      const { store } = await plant();
      const headers = { 'x-api-key': await newKey(reads) };
      const find = async (search: string) => {
        const query = '($search: String) { stores(search: $search, first: 1000) { totalCount nodes { id } } }';
        const { nodes, totalCount } = (await app.graphql(`query ${query}`, { search }, headers)).body.data.stores;
        expect(totalCount).toBe(nodes.length);
        return nodes.some(({ id }: { id: string }) => id === store.id);
      };
      const isReader = reads.includes('READ_MENUS');
      expect(await find(store.id)).toBe(true);
      expect(await find(`Baixa ${store.id}`)).toBe(true);
      expect([await find('secret-city'), await find(`${store.id} secret-brand`)]).toEqual([isReader, isReader]);
    });
  },
);

test('publishable keys find stores by city and brand, which guests may read', async () => {
  const { store, merchant } = await plant();
  const key = await app.newKey({
    merchantIds: [merchant.id],
    permissions: [],
    publishable: true,
    origins: ['https://menu.example'],
  });
  for (const search of ['secret-city', 'secret-brand']) {
    const { body } = await app.graphql(`{ stores(search: "${search}") { nodes { id } } }`, {}, { 'x-api-key': key });
    expect(body.data.stores.nodes).toEqual([{ id: store.id }]);
  }
});

test('a key without READ_ORDERS learns of the orders that it has placed itself, and of no others', async () => {
  const { store } = await plant();
  const issue = async () => ({
    'x-api-key': await app.newKey({ storeIds: [store.id], permissions: ['ORDERS', 'READ_MENUS'] }),
  });
  const [own, other] = [await issue(), await issue()];
  const send = async (mutation: string, headers: Record<string, string>) =>
    (await app.graphql(`mutation { ${mutation} { __typename } }`, {}, headers)).body;
  expect((await send(place(store.id, 'own'), own)).errors).toBeUndefined();
  expect((await send(place(store.id, 'own'), own)).errors).toBeUndefined();
  const [order] = await execute("select id from orders where store_id = ? and customer_name = 'x'", [store.id]);
  const message = async (mutation: string, headers: Record<string, string>) =>
    (await send(mutation, headers)).errors[0].message;
  expect(await message(place(store.id, 'own', 'y'), own)).toContain(`order ${order?.id}, which differs`);
  expect(await message(place(store.id, 'own', 'y'), other)).toContain('of another order; use a new key');
  const changes = [
    'to: READY',
    'to: ACCEPTED, from: READY',
    'to: READY, from: ACCEPTED',
    'to: READY, idempotent: true',
  ];
  for (const change of changes) {
    const mutation = `changeOrderStatus(input: { orderId: "${order?.id}", ${change} })`;
    const [known, hidden] = [await message(mutation, own), await message(mutation, other)];
    expect(hidden, change).not.toContain('PENDING');
    if (change !== 'to: ACCEPTED, from: READY') expect(known, change).toContain('PENDING');
  }
});
