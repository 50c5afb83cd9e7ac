import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp();
const operator = { 'x-api-key': await app.newKey({ name: 'operator', permissions: ['ADMIN'] }) };
const merchant = await app.data.merchant({ id: 'casa', brandName: 'Casa Verde' });
const store = await app.data.store({ id: 'baixa', merchant: merchant.id });
const other = await app.data.store({ id: 'porto' });

const createKey = (input: object, selection = 'secret apiKey { id }') =>
  app.graphql(
    `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { ${selection} } }`,
    { input },
    operator,
  );
const statusWith = async (key: string) => (await app.get('/v1/stores/', { 'x-api-key': key })).status;

const fields = `id name permissions createdAt expiresAt revokedAt lastUsedAt
  scope { all merchants { id brandName stores { nodes { id } } } stores { id merchant { id } } }`;

const shopName = `web shop: 100 % 'ours', "?" \\ $1 :x`;

test('createApiKey returns the secret and the key; apiKeys lists it without the secret', async () => {
  const input = {
    name: shopName,
    merchantIds: [merchant.id, merchant.id],
    storeIds: [other.id],
    permissions: ['STOCK', 'ORDERS', 'STOCK'],
    expiresAt: '2199-01-01',
  };
  const created = (await createKey(input, `secret apiKey { ${fields} }`)).body.data.createApiKey;
  expect(created.secret).toMatch(/^carte_[\w-]{43}$/);
  expect(created.apiKey).toEqual({
    id: expect.stringMatching(/^key_[0-9a-f]{12}$/),
    name: shopName,
    permissions: ['ORDERS', 'STOCK'],
    createdAt: expect.any(String),
    expiresAt: '2199-01-01T00:00:00.000Z',
    revokedAt: null,
    lastUsedAt: null,
    scope: {
      all: false,
      merchants: [{ id: 'casa', brandName: 'Casa Verde', stores: { nodes: [{ id: 'baixa' }] } }],
      stores: [{ id: 'porto', merchant: { id: other.merchant } }],
    },
  });
  const listed = await app.graphql(`{ apiKeys { nodes { ${fields} } } }`, {}, operator);
  expect(listed.body.data.apiKeys.nodes).toContainEqual(created.apiKey);
  expect(listed.text).not.toContain(created.secret);
  expect(await statusWith(created.secret)).toBe(200);
});

test('apiKeys are paged, and take the same number of statements for one key and for many', async () => {
  for (let number = 0; number < 5; number++) await app.newKey({ storeIds: [number % 2 ? store.id : other.id] });
  const read = (arguments_: string) =>
    app.graphql(
      `{ apiKeys(${arguments_}) {
        nodes { ${fields} } edges { node { id } cursor } pageInfo { hasPreviousPage hasNextPage endCursor } totalCount
      } }`,
      {},
      operator,
    );
  const page = async (arguments_: string) => (await read(arguments_)).body.data.apiKeys;
  const all = await page('first: 1000');
  expect(all).toMatchObject({ totalCount: all.nodes.length, pageInfo: { hasPreviousPage: false, hasNextPage: false } });
  const [{ result: one, statements: ofOne }, { result: many, statements: ofMany }] = [
    await app.statements.during(() => page('last: 1')),
    await app.statements.during(() => page('last: 5')),
  ];
  expect(one.nodes).toEqual(all.nodes.slice(-1));
  expect(many).toMatchObject({ nodes: all.nodes.slice(-5), pageInfo: { hasPreviousPage: true, hasNextPage: false } });
  expect(ofMany).toHaveLength(ofOne.length);
  const newest = await page('first: 1, newestFirst: true');
  expect(newest).toMatchObject({ nodes: one.nodes, pageInfo: { hasPreviousPage: false, hasNextPage: true } });
  const next = await page(`first: 3, after: "${newest.pageInfo.endCursor}", newestFirst: true`);
  expect(next).toMatchObject({
    nodes: all.nodes.toReversed().slice(1, 4),
    edges: [{ node: { id: next.nodes[0].id } }, {}, {}],
    pageInfo: { hasPreviousPage: true, hasNextPage: true },
  });
  const back = await page(`last: 1, before: "${next.edges[0].cursor}", newestFirst: true`);
  expect(back.nodes).toEqual(newest.nodes);
  expect((await read('first: 1001')).body.errors[0].message).toBe('first: 1001 is too large; it must be at most 1000');
});

test('the last use of a key is shown within seconds', async () => {
  const { secret: key, apiKey } = (await createKey({ name: 'till', all: true })).body.data.createApiKey;
  const before = Date.now();
  await statusWith(key);
  const lastUse = async () => {
    const { body } = await app.graphql('{ apiKeys(first: 1000) { nodes { id lastUsedAt } } }', {}, operator);
    return body.data.apiKeys.nodes.find(({ id }: { id: string }) => id === apiKey.id).lastUsedAt;
  };
  await expect.poll(lastUse, { timeout: 60_000 }).not.toBeNull();
  expect(Date.parse(await lastUse())).toBeGreaterThanOrEqual(before - 1);
});

test('rotateApiKey replaces the secret, and revokeApiKey ends the key for good', async () => {
  const { secret: key, apiKey } = (await createKey({ name: 'till', all: true })).body.data.createApiKey;
  const rotate = () =>
    app.graphql(
      'mutation ($id: ID!) { rotateApiKey(input: { apiKeyId: $id }) { secret apiKey { id name } } }',
      { id: apiKey.id },
      operator,
    );
  const rotated = (await rotate()).body.data.rotateApiKey;
  expect(rotated.apiKey).toEqual({ id: apiKey.id, name: 'till' });
  expect([await statusWith(key), await statusWith(rotated.secret)]).toEqual([401, 200]);

  const revoke = async () =>
    (
      await app.graphql(
        'mutation ($id: ID!) { revokeApiKey(input: { apiKeyId: $id }) { apiKey { revokedAt } } }',
        apiKey,
        operator,
      )
    ).body.data.revokeApiKey.apiKey.revokedAt;
  const revokedAt = await revoke();
  expect(revokedAt).toEqual(expect.any(String));
  expect(await statusWith(rotated.secret)).toBe(401);
  expect(await revoke()).toBe(revokedAt);
  const [error] = (await rotate()).body.errors;
  expect(error.extensions).toEqual({
    code: 'BAD_USER_INPUT',
    errors: [
      {
        path: ['input', 'apiKeyId'],
        type: 'value_error',
        message: `The key ${apiKey.id} is revoked; create a new one.`,
      },
    ],
  });
});

test('rotateApiKey returns no secret for a key that has expired', async () => {
  const { apiKey } = (await createKey({ name: 'till', all: true })).body.data.createApiKey;
  await app.orm.em.fork().execute('update api_key set expires_at = now() where id = ?', [apiKey.id]);
  const { body } = await app.graphql(
    'mutation ($id: ID!) { rotateApiKey(input: { apiKeyId: $id }) { secret } }',
    apiKey,
    operator,
  );
  expect(body.errors[0].message).toBe(`input.apiKeyId: The key ${apiKey.id} has expired; create a new one.`);
});

test('a key can revoke itself', async () => {
  const { secret: key, apiKey } = (await createKey({ name: 'short', all: true, permissions: ['ADMIN'] })).body.data
    .createApiKey;
  const own = { 'x-api-key': key };
  const { body } = await app.graphql(
    `mutation { revokeApiKey(input: { apiKeyId: "${apiKey.id}" }) { apiKey { name } } }`,
    {},
    own,
  );
  expect(body).toEqual({ data: { revokeApiKey: { apiKey: { name: 'short' } } } });
  expect(await statusWith(key)).toBe(401);
});

test.each(['no-such', '', 'a\0b'])('rotating and revoking the key %j, which does not exist, returns null', async id => {
  const query =
    'mutation ($id: ID!) { rotateApiKey(input: { apiKeyId: $id }) { secret } revokeApiKey(input: { apiKeyId: $id }) { apiKey { id } } }';
  const { body } = await app.graphql(query, { id }, operator);
  expect(body).toEqual({ data: { rotateApiKey: null, revokeApiKey: null } });
});

describe('createApiKey reports every error with its path', () => {
  const errorsOf = async (input: object) => {
    const { body } = await createKey(input);
    expect(body.data).toEqual({ createApiKey: null });
    expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
    return body.errors[0].extensions.errors.map(
      ({ path, message }: { path: readonly unknown[]; message: string }) => `${path.join('.')}: ${message}`,
    );
  };

  test('of name, scope, permissions and expiry', async () => {
    const scoped = {
      name: ' ',
      merchantIds: ['none', 'casa', 'a\0b'],
      storeIds: ['baixa', 'none', '\ud800'],
      permissions: ['MENU', 'ADMIN'],
      expiresAt: '2020-01-01',
    };
    expect(await errorsOf(scoped)).toEqual([
      'input.name: The name of a key must not be empty.',
      'input.merchantIds.0: There is no merchant "none".',
      'input.merchantIds.2: There is no merchant "a\\u0000b".',
      "input.storeIds.0: Store baixa belongs to merchant casa, whose stores are in the key's scope already.",
      'input.storeIds.1: There is no store "none".',
      'input.storeIds.2: There is no store "\\ud800".',
      'input.permissions.1: The permission ADMIN is only for keys with access to all merchants and stores.',
      'input.expiresAt: 2020-01-01T00:00:00.000Z is in the past.',
    ]);
    expect(await errorsOf({ name: 'two\nlines', all: true, storeIds: ['porto'] })).toEqual([
      'input.name: The name of a key is one line of text, without control characters.',
      'input.all: A key has access to all, or to certain merchants and stores, not both.',
    ]);
    expect(await errorsOf({ name: 'x', storeIds: Array(1001).fill('none') })).toEqual([
      'input.storeIds: The list has 1001 ids; at most 1000 are allowed.',
    ]);
    expect(await errorsOf({ name: 'x'.repeat(256) })).toEqual([
      'input.name: The name of a key has at most 255 characters.',
      'input: A key needs an access scope: all, merchants or stores.',
    ]);
  });

  test('and the keys that were issued by the same request are returned', async () => {
    const query =
      'mutation { a: createApiKey(input: { name: "a", all: true }) { secret } b: createApiKey(input: { name: "b" }) { secret } }';
    const { body } = await app.graphql(query, {}, operator);
    expect(body.data).toEqual({ a: { secret: expect.stringMatching(/^carte_/) }, b: null });
    expect(body.errors[0].path).toEqual(['b']);
  });
});
