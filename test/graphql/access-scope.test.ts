import {
  concatAST,
  type ExecutionResult,
  execute,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/auth/key-cache.ts';
import { createReadAccess } from '../../src/database/pool.ts';
import { createContext, createRepositories } from '../../src/graphql/context.ts';
import { loadSchema } from '../../src/graphql/schema.ts';
import { nodeIdOf } from '../../src/node-id.ts';
import { startApp, type TestResponse } from '../support/app.ts';
import { secretPermissions } from '../support/data.ts';
import { type KeyName, makeTenants, unreadable } from '../support/tenants.ts';

const app = await startApp();
const keys = await makeTenants(app);
const schema = loadSchema();

interface Expected {
  readonly status: number;
  readonly data?: unknown;
  readonly error?: { readonly message: string; readonly extensions: { readonly code: string } };
}

const unauthenticated = (message: string): Expected => ({
  status: 401,
  error: { message, extensions: { code: 'UNAUTHENTICATED' } },
});
const invalidKey = unauthenticated(unreadable);
const withoutScope = {
  none: unauthenticated('An API key is needed in the header x-api-key.'),
  unknown: invalidKey,
  expired: invalidKey,
  revoked: invalidKey,
};
const forbidden: Expected = {
  status: 200,
  error: { message: 'This API key may only read.', extensions: { code: 'FORBIDDEN' } },
};
const lacks = (permission: string): Expected => ({
  status: 200,
  error: {
    message: `This API key does not have the permission ${permission}; it has ORDERS, STOCK, MENU.`,
    extensions: { code: 'FORBIDDEN' },
  },
});
/** For root fields that require ADMIN, which no scoped key has. */
const operatorsOnly = { readOnly: forbidden, foreign: lacks('ADMIN'), sibling: lacks('ADMIN') };
const unknownOrder: Expected = {
  status: 200,
  error: {
    message: 'input.orderIds.0: no order with the id "mine-store-order" is in the scope of the API key',
    extensions: { code: 'BAD_USER_INPUT' },
  },
};
const unknownStore: Expected = {
  status: 200,
  error: {
    message: 'storeId: no store with the id "mine-store" is in the scope of the API key',
    extensions: { code: 'BAD_USER_INPUT' },
  },
};
const unknownToken: Expected = {
  status: 200,
  error: {
    message: 'token: there is no order with this token of the API key, or the token has ended',
    extensions: { code: 'BAD_USER_INPUT' },
  },
};
const returns = (data: unknown): Expected => ({ status: 200, data });
const absent = returns(null);
const one = (id: string) => returns({ id });
const list = (...ids: readonly string[]) => returns({ nodes: ids.map(id => ({ id })) });

type ByScope = Readonly<Record<Exclude<KeyName, keyof typeof withoutScope>, Expected>>;

/** Every root field, with the result for each key. */
const table: Readonly<Record<string, readonly [selection: string, expected: ByScope]>> = {
  'Query.store': ['store(id: "mine-store") { id }', { readOnly: one('mine-store'), foreign: absent, sibling: absent }],
  'Query.stores': [
    'stores { nodes { id } }',
    {
      readOnly: list('mine-sibling', 'mine-store'),
      foreign: list('foreign-sibling', 'foreign-store'),
      sibling: list('mine-sibling'),
    },
  ],
  'Query.merchant': [
    'merchant(id: "mine-merchant") { id }',
    { readOnly: one('mine-merchant'), foreign: absent, sibling: one('mine-merchant') },
  ],
  'Query.merchants': [
    'merchants { nodes { id } }',
    { readOnly: list('mine-merchant'), foreign: list('foreign-merchant'), sibling: list('mine-merchant') },
  ],
  'Query.order': [
    'order(id: "mine-store-order") { id }',
    { readOnly: one('mine-store-order'), foreign: absent, sibling: absent },
  ],
  'Query.node': [
    `node(id: "${nodeIdOf('Order', 'mine-store-order')}") { ... on Order { id } }`,
    { readOnly: one('mine-store-order'), foreign: absent, sibling: absent },
  ],
  'Query.nodes': [
    `nodes(ids: ["${nodeIdOf('Store', 'mine-store')}", "${nodeIdOf('Merchant', 'mine-merchant')}"]) { nodeId }`,
    {
      readOnly: returns([
        { nodeId: nodeIdOf('Store', 'mine-store') },
        { nodeId: nodeIdOf('Merchant', 'mine-merchant') },
      ]),
      foreign: returns([null, null]),
      sibling: returns([null, { nodeId: nodeIdOf('Merchant', 'mine-merchant') }]),
    },
  ],
  'Query.quoteOrder': [
    'quoteOrder(input: { storeId: "mine-store", lines: [] }) { problems { code } }',
    { readOnly: returns({ problems: [{ code: 'TOO_SHORT' }] }), foreign: absent, sibling: absent },
  ],
  'Mutation.replaceMenuConfiguration': [
    'replaceMenuConfiguration(input: { storeId: "mine-store", items: [] }) { store { menuRevision } }',
    { readOnly: forbidden, foreign: absent, sibling: absent },
  ],
  'Mutation.setStock': [
    'setStock(input: { storeId: "mine-store", items: [{ externalId: "item", inStock: false }] }) { store { menuRevision } }',
    { readOnly: forbidden, foreign: absent, sibling: absent },
  ],
  'Mutation.changePrices': [
    'changePrices(input: { storeId: "mine-store", items: [{ externalId: "item", price: 1 }] }) { store { menuRevision } }',
    { readOnly: forbidden, foreign: absent, sibling: absent },
  ],
  'Mutation.setSpecialHours': [
    'setSpecialHours(input: { storeId: "mine-store", hours: [] }) { store { id } }',
    { readOnly: forbidden, foreign: absent, sibling: absent },
  ],
  'Mutation.setStoreOrdering': [
    'setStoreOrdering(input: { storeId: "mine-store", state: OPEN }) { store { id } }',
    { readOnly: forbidden, foreign: absent, sibling: absent },
  ],
  'Query.viewer': [
    'viewer { permissions scope { all merchants { id } stores { id } } }',
    {
      readOnly: returns({ permissions: [], scope: { all: false, merchants: [{ id: 'mine-merchant' }], stores: [] } }),
      foreign: returns({
        permissions: ['ORDERS', 'STOCK', 'MENU'],
        scope: { all: false, merchants: [{ id: 'foreign-merchant' }], stores: [] },
      }),
      sibling: returns({
        permissions: ['ORDERS', 'STOCK', 'MENU'],
        scope: { all: false, merchants: [], stores: [{ id: 'mine-sibling' }] },
      }),
    },
  ],
  'Mutation.restoreMenuConfiguration': [
    'restoreMenuConfiguration(input: { storeId: "mine-store", revision: 1 }) { store { menuRevision } }',
    { readOnly: forbidden, foreign: absent, sibling: absent },
  ],
  'Query.apiKeys': ['apiKeys { nodes { id name scope { stores { id } } } }', operatorsOnly],
  'Mutation.createApiKey': ['createApiKey(input: { name: "x", storeIds: ["mine-store"] }) { secret }', operatorsOnly],
  'Mutation.rotateApiKey': ['rotateApiKey(input: { apiKeyId: "mine-key" }) { secret }', operatorsOnly],
  'Mutation.revokeApiKey': ['revokeApiKey(input: { apiKeyId: "mine-key" }) { apiKey { name } }', operatorsOnly],
  'Query.edgeCaches': ['edgeCaches { name }', operatorsOnly],
  'Query.webhooks': ['webhooks { nodes { id url store { id } } }', operatorsOnly],
  'Query.webhook': ['webhook(id: "mine-webhook") { id }', operatorsOnly],
  'Mutation.createWebhook': [
    'createWebhook(input: { url: "https://pos.example/", storeId: "mine-store", kinds: [ORDER_PLACED] }) { secret }',
    operatorsOnly,
  ],
  'Mutation.rotateWebhookSecret': [
    'rotateWebhookSecret(input: { webhookId: "mine-webhook" }) { secret }',
    operatorsOnly,
  ],
  'Mutation.pauseWebhook': ['pauseWebhook(input: { webhookId: "mine-webhook" }) { webhook { id } }', operatorsOnly],
  'Mutation.resumeWebhook': ['resumeWebhook(input: { webhookId: "mine-webhook" }) { webhook { id } }', operatorsOnly],
  'Mutation.removeWebhook': ['removeWebhook(input: { webhookId: "mine-webhook" }) { webhook { id } }', operatorsOnly],
  'Mutation.testWebhook': [
    'testWebhook(input: { webhookId: "mine-webhook" }) { attempt { isDelivered } }',
    operatorsOnly,
  ],
  'Mutation.redeliverWebhookMessage': [
    'redeliverWebhookMessage(input: { webhookId: "mine-webhook", messageId: "msg_1" }) { attempt { isDelivered } }',
    operatorsOnly,
  ],
  'Mutation.redeliverWebhookEvents': [
    'redeliverWebhookEvents(input: { webhookId: "mine-webhook", since: "2026-03-01" }) { eventCount }',
    operatorsOnly,
  ],
  'Mutation.saveMerchant': [
    'saveMerchant(input: { id: "mine-merchant", brandName: "x" }) { merchant { id } }',
    operatorsOnly,
  ],
  'Mutation.saveStore': [
    'saveStore(input: { id: "mine-store", name: { translations: {} } }) { store { id } }',
    operatorsOnly,
  ],
  'Mutation.placeOrder': [
    `placeOrder(input: {
      storeId: "mine-store", idempotencyKey: "k", customer: { name: "x", phone: "" }, lines: [{ itemExternalId: "item" }]
    }) { order { id } }`,
    { readOnly: forbidden, foreign: absent, sibling: absent },
  ],
  'Mutation.changeOrderStatus': [
    'changeOrderStatus(input: { orderId: "mine-store-order", to: ACCEPTED }) { order { id } }',
    { readOnly: forbidden, foreign: absent, sibling: absent },
  ],
  'Mutation.markOrders': [
    'markOrders(input: { orderIds: ["mine-store-order"], isRead: true }) { orders { id } }',
    { readOnly: forbidden, foreign: unknownOrder, sibling: unknownOrder },
  ],
  // Tokens are of publishable keys.
  'Query.guestOrder': ['guestOrder(token: "x") { number }', { readOnly: absent, foreign: absent, sibling: absent }],
  'Mutation.cancelGuestOrder': [
    'cancelGuestOrder(input: { token: "x" }) { guestOrder { number } }',
    { readOnly: forbidden, foreign: lacks('PLACE_GUEST_ORDERS'), sibling: lacks('PLACE_GUEST_ORDERS') },
  ],
  'Subscription.guestOrderEvents': [
    'guestOrderEvents(token: "x") { order { number } }',
    { readOnly: unknownToken, foreign: unknownToken, sibling: unknownToken },
  ],
  'Mutation.eraseGuest': ['eraseGuest(input: { phones: ["5551234567"], all: true }) { orderCount }', operatorsOnly],
  // Without a cursor there are none; test/graphql has those of several stores.
  'Query.events': [
    'events(limit: 1) { events { storeId } }',
    { readOnly: returns({ events: [] }), foreign: returns({ events: [] }), sibling: returns({ events: [] }) },
  ],
  // test/events/webhook-operations.test.ts has that of a message in scope.
  'Query.event': ['event(messageId: "msg_1") { storeId }', { readOnly: absent, foreign: absent, sibling: absent }],
  'Subscription.orderEvents': [
    'orderEvents(storeId: "mine-store") { order { id } }',
    { readOnly: returns({ order: { id: 'mine-store-order' } }), foreign: unknownStore, sibling: unknownStore },
  ],
  'Subscription.menuEvents': [
    'menuEvents(storeId: "mine-store") { store { id } }',
    { readOnly: returns({ store: { id: 'mine-store' } }), foreign: unknownStore, sibling: unknownStore },
  ],
  'Subscription.storeEvents': [
    'storeEvents { store { id } }',
    {
      readOnly: returns({ store: { id: 'mine-sibling' } }),
      foreign: returns({ store: { id: 'foreign-sibling' } }),
      sibling: returns({ store: { id: 'mine-sibling' } }),
    },
  ],
};

/** Changes the orders, the menu and the fields of every store. */
async function changeEverything(): Promise<void> {
  const em = app.orm.em.fork();
  await em.execute('update orders set is_read = not is_read');
  await em.execute(
    "update store set menu_revision = menu_revision + 1, postal_code = coalesce(postal_code, '') || 'x'",
  );
}

/** Executes an operation; of a subscription it returns the first event after it was opened. */
async function run(query: string, key: string): Promise<Pick<TestResponse, 'status' | 'body'>> {
  if (!query.startsWith('subscription')) return app.graphql(query, {}, { 'x-api-key': key });
  const response = await fetch(`${app.url}/graphql?${new URLSearchParams({ query })}`, {
    headers: { accept: 'text/event-stream', ...(key && { 'x-api-key': key }) },
  });
  if (response.status !== 200) return { status: response.status, body: await response.json() };
  await changeEverything();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const [, data] = /^data: (.*)\n\n/m.exec(text) ?? [];
    if (data !== undefined) return { status: response.status, body: JSON.parse(data) };
  }
  throw new Error(`The stream ended without an event: ${text}`);
}

const cases = Object.entries(table).flatMap(([coordinate, [selection, byScope]]) =>
  Object.entries({ ...withoutScope, ...byScope }).map(([name, expected]) => ({
    coordinate,
    query: `${coordinate.split('.')[0]?.toLowerCase()} { root: ${selection} }`,
    name,
    key: keys[name as KeyName],
    expected,
  })),
);

test('every root field is in the table', () => {
  const coordinates = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(type =>
    Object.keys(type?.getFields() ?? {}).map(field => `${type?.name}.${field}`),
  );
  expect(Object.keys(table).sort()).toEqual(coordinates.sort());
});

describe('a key has access to its own merchants and stores alone', () => {
  test.each(cases)('$coordinate with the key "$name"', async ({ query, key, expected }) => {
    const { status, body } = await run(query, key);
    expect(status).toBe(expected.status);
    if (expected.error) {
      expect(body.errors).toEqual([expect.objectContaining({ message: expected.error.message })]);
      expect(body.errors[0].extensions).toMatchObject(expected.error.extensions);
      expect(body.data?.root ?? null).toBeNull();
    } else expect(body).toEqual({ data: { root: expected.data } });
  });

  test.each(['unknown', 'expired', 'revoked'] as const)('introspection is denied to the key "%s"', async name => {
    const { status, body } = await app.graphql('{ __schema { queryType { name } } }', {}, { 'x-api-key': keys[name] });
    expect([status, body.data]).toEqual([401, undefined]);
  });

  test('an absent store and one out of scope have the same response', async () => {
    const headers = { 'x-api-key': keys.readOnly };
    const [unknown, foreign] = [
      await app.graphql('{ store(id: "no-such-store") { id } }', {}, headers),
      await app.graphql('{ store(id: "foreign-store") { id } }', {}, headers),
    ];
    expect(foreign.body).toEqual({ data: { store: null } });
    expect(foreign.text).toBe(unknown.text);
  });

  test('a cached response is sent only to keys with its store in scope', async () => {
    const query = '{ store(id: "mine-store") { menuRevision menus { externalId categories { externalId } } } }';
    const cached = await app.graphql(query, {}, { 'x-api-key': keys.readOnly });
    expect(cached.body.data.store.menus).toHaveLength(1);
    for (const name of ['foreign', 'sibling'] as const) {
      const { body } = await app.graphql(query, {}, { 'x-api-key': keys[name] });
      expect(body).toEqual({ data: { store: null } });
    }
    for (const name of ['none', 'unknown', 'expired', 'revoked'] as const) {
      expect((await app.graphql(query, {}, { 'x-api-key': keys[name] })).status).toBe(401);
    }
  });
});

describe('a root field that requires a permission', async () => {
  const required = Object.entries(table).flatMap(([coordinate, [selection]]) => {
    const [type = '', field = ''] = coordinate.split('.');
    const { permission } = (schema.getType(type) as GraphQLObjectType).getFields()[field]?.extensions ?? {};
    // Only publishable keys have it, and guest-orders-misuse.test.ts those without.
    if (permission === 'PLACE_GUEST_ORDERS') return [];
    return permission ? [{ coordinate, permission, query: `${type.toLowerCase()} { root: ${selection} }` }] : [];
  });

  test.each(required)('$coordinate is forbidden to a key with all permissions but $permission', async given => {
    const others = secretPermissions.filter(permission => permission !== given.permission);
    const key = await app.newKey({ all: true, permissions: others });
    const message = `This API key does not have the permission ${given.permission}; it has ${others.join(', ')}.`;
    // The existing and the unknown subject have the same response, and neither is looked up.
    for (const query of [given.query, given.query.replaceAll('"mine-', '"unknown-')]) {
      const { result, statements } = await app.statements.during(() => app.graphql(query, {}, { 'x-api-key': key }));
      expect(result.body.errors).toEqual([expect.objectContaining({ message, extensions: { code: 'FORBIDDEN' } })]);
      expect(result.body.data?.root ?? null).toBeNull();
      // A stream of another test may still be open, whose key is looked up every second.
      expect(statements.filter(statement => !statement.includes('from api_key k'))).toEqual([]);
    }
  });

  // Such a key is not issued, but its row may have been changed by hand.
  const scopedAdmin = await app.newKey({ name: 'scoped', merchantIds: ['mine-merchant'] });
  await app.orm.em.fork().execute("update api_key set permissions = '{ADMIN}' where name = 'scoped'");

  test.each(required.filter(({ permission }) => permission === 'ADMIN'))(
    '$coordinate is forbidden to a key with ADMIN whose scope is not everything',
    async ({ query }) => {
      const { body } = await app.graphql(query, {}, { 'x-api-key': scopedAdmin });
      const message = 'The permission ADMIN is only for keys with access to all merchants and stores.';
      expect(body.errors).toEqual([expect.objectContaining({ message, extensions: { code: 'FORBIDDEN' } })]);
    },
  );
});

const depth = 6;

/** Values of required arguments, by field. */
const values: Readonly<Record<string, string>> = {
  menu: 'menu',
  category: 'category',
  item: 'item',
  modifierGroup: 'group',
  modifierItem: 'modifier',
  nextAvailableAt: '2026-03-02T12:00:00Z',
};

/** Selects every field of a type, down to a number of levels. */
function selectAll(type: GraphQLObjectType, levels: number): string {
  const fields = Object.values(type.getFields()).flatMap(field => {
    const inner = getNamedType(field.type);
    const required = field.args.filter(arg => isNonNullType(arg.type) && arg.defaultValue === undefined);
    const args = required.map(arg => `${arg.name}: "${values[field.name]}"`);
    const call = field.name + (args.length > 0 ? `(${args})` : '');
    if (isLeafType(inner)) return [call];
    // The nodes of a connection are those of its edges.
    if (field.name === 'edges') return ['edges { cursor }'];
    // No revision is that of two stores; what they return or compare is `MenuRevision.configuration`, too.
    if (['menuConfigurationAt', 'menuChanges'].includes(field.name)) return [];
    return isObjectType(inner) && levels > 1 ? [`${call} { ${selectAll(inner, levels - 1)} }`] : [];
  });
  return fields.length > 0 ? fields.join(' ') : '__typename';
}

/** Parsed once, since they are large. */
const fragments = { Store: fragmentOf('Store'), Merchant: fragmentOf('Merchant'), Order: fragmentOf('Order') };

function fragmentOf(name: string) {
  return parse(`fragment ${name} on ${name} { ${selectAll(schema.getType(name) as GraphQLObjectType, depth - 1)} }`);
}

const roots: readonly { readonly field: string; readonly type: keyof typeof fragments }[] = [
  ...['mine', 'foreign'].flatMap((name): typeof roots => [
    { field: `store(id: "${name}-store")`, type: 'Store' },
    { field: `store(id: "${name}-sibling")`, type: 'Store' },
    { field: `merchant(id: "${name}-merchant")`, type: 'Merchant' },
    { field: `order(id: "${name}-store-order")`, type: 'Order' },
    { field: `order(id: "${name}-sibling-order")`, type: 'Order' },
  ]),
  { field: 'stores', type: 'Store' },
  { field: 'merchants', type: 'Merchant' },
];

/** Returns the data of every path of the graph for a key, as JSON. */
async function crawl(key: string): Promise<string> {
  const access = await createReadAccess(app.orm);
  const { scope } = await createAuthenticator(access.primary, { seconds: 0 })(key);
  const results: string[] = [];
  for (const { field, type } of roots) {
    const document = concatAST([parse(`{ ${field} { ...${type} } }`), fragments[type]]);
    const contextValue = createContext({ orm: app.orm, repositories: createRepositories(access) }, scope);
    const result = (await execute({ schema, document, contextValue })) as ExecutionResult;
    expect(result.errors).toBeUndefined();
    results.push(JSON.stringify(result.data));
  }
  return results.join('\n');
}

describe(`every path of the graph to depth ${depth}`, () => {
  test('returns to a key of one merchant no data of another', async () => {
    const data = await crawl(keys.readOnly);
    expect(data).toContain('mine sibling');
    expect(data).not.toContain('foreign');
  });

  test('returns to a key of one store no data of its siblings', async () => {
    const data = await crawl(await app.newKey({ storeIds: ['mine-store'] }));
    expect(data).toContain('mine-store-order');
    expect(data).toContain('mine-merchant');
    expect(data).not.toContain('sibling');
    expect(data).not.toContain('foreign');
  });

  test('returns nothing to a key whose grants were deleted', async () => {
    const key = await app.newKey({ name: 'ungranted', merchantIds: ['mine-merchant'] });
    const ofKey = 'key_id in (select id from api_key where name = ?)';
    await app.orm.em.fork().execute(`delete from api_key_grant where ${ofKey}`, ['ungranted']);
    const data = await crawl(key);
    expect(data).not.toContain('mine');
    expect(data).not.toContain('foreign');
  });

  test('returns everything to a key with access to all', async () => {
    const data = await crawl(app.key);
    expect(data).toContain('foreign sibling');
    expect(data).toContain('mine sibling');
  });
});
