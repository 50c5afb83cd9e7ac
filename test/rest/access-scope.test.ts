import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { routes } from '../support/interface.ts';
import { fullBody } from '../support/menu-body.ts';
import { type KeyName, makeTenants, unreadable } from '../support/tenants.ts';

const app = await startApp();
const keys = await makeTenants(app);

const ids: Readonly<Record<string, string>> = {
  store_service_id: 'mine-store',
  order_service_id: 'mine-store-order',
  merchant_service_id: 'mine-merchant',
};

interface Expected {
  readonly status: number;
  /** The whole body of an error. */
  readonly body?: unknown;
  /** The ids in a list, in order. */
  readonly ids?: readonly string[];
}

const unauthenticated = (detail: string): Expected => ({ status: 401, body: { detail } });
const missing = unauthenticated('An API key is needed in the header x-api-key.');
const unknown = unauthenticated(unreadable);
const notFound = (name: string): Expected => ({
  status: 404,
  body: { detail: `Nothing with this ${name} is in the scope of the API key.` },
});
const list = (...listed: readonly string[]): Expected => ({ status: 200, ids: listed });
/** The same body as for the operator's key. */
const full: Expected = { status: 200 };
const forbidden: Expected = { status: 403, body: { detail: 'This API key may only read.' } };

const noStore = notFound('store_service_id');
const noOrder = notFound('order_service_id');
const noMerchant = notFound('merchant_service_id');
const invalid = { none: missing, unknown, expired: unknown, revoked: unknown };

/** The matrix of routes and keys; every other test of access is about one rule. */
const matrix: Readonly<Record<string, Readonly<Record<KeyName, Expected>>>> = {
  createMenuConfiguration: { ...invalid, readOnly: forbidden, foreign: noStore, sibling: noStore },
  getMenuConfiguration: { ...invalid, readOnly: full, foreign: noStore, sibling: noStore },
  getMenuConfigurationFlat: { ...invalid, readOnly: full, foreign: noStore, sibling: noStore },
  listOrders: { ...invalid, readOnly: full, foreign: noStore, sibling: noStore },
  getOrder: { ...invalid, readOnly: full, foreign: noOrder, sibling: noOrder },
  getStore: { ...invalid, readOnly: full, foreign: noStore, sibling: noStore },
  listStores: {
    ...invalid,
    readOnly: list('mine-sibling', 'mine-store'),
    foreign: list('foreign-sibling', 'foreign-store'),
    sibling: list('mine-sibling'),
  },
  listMerchants: {
    ...invalid,
    readOnly: list('mine-merchant'),
    foreign: list('foreign-merchant'),
    sibling: list('mine-merchant'),
  },
  getMerchant: { ...invalid, readOnly: full, foreign: noMerchant, sibling: full },
};

const cases = routes.flatMap(({ method, path, operation }) =>
  Object.entries(matrix[operation] ?? {}).map(([name, expected]) => ({
    method,
    path,
    url: path.replace(/\{(\w+)\}/, (_, parameter: string) => ids[parameter] ?? ''),
    unknownUrl: path.replace(/\{\w+\}/, 'unknown'),
    name,
    key: keys[name as KeyName],
    expected,
  })),
);

function request(method: string, url: string, key: string, more: Record<string, string> = {}) {
  const headers = { 'x-api-key': key, ...more };
  return method === 'POST' ? app.post(url, fullBody(), headers) : app.send(method, url, { headers });
}

test('the matrix has every route and every key', () => {
  expect(routes.map(({ operation }) => operation).sort()).toEqual(Object.keys(matrix).sort());
  expect(cases).toHaveLength(9 * 7);
});

describe('Missing or unknown key', () => {
  test.each(cases.filter(({ expected }) => expected.status === 401))(
    '$method $path with the key "$name" is 401',
    async ({ method, url, key, expected }) => {
      const response = await request(method, url, key);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('ApiKey');
      expect(response.headers.get('etag')).toBeNull();
      expect(response.body).toEqual(expected.body);
    },
  );
});

describe("Outside the key's scope", () => {
  test.each(cases.filter(({ expected }) => expected.status === 404))(
    '$method $path with the key "$name" is 404, as for an unknown id',
    async ({ method, url, unknownUrl, key, expected }) => {
      const [response, ofUnknown] = [await request(method, url, key), await request(method, unknownUrl, key)];
      expect(response.status).toBe(404);
      expect(response.headers.get('etag')).toBeNull();
      expect(response.body).toEqual(expected.body);
      expect([ofUnknown.status, ofUnknown.text]).toEqual([response.status, response.text]);
    },
  );

  test.each(cases.filter(({ expected }) => expected.ids))(
    '$path with the key "$name" lists only what is in scope',
    async ({ method, url, key, expected }) => {
      const { status, body } = await request(method, url, key);
      expect([status, body.map(({ id }: { id: string }) => id)]).toEqual([200, expected.ids]);
    },
  );

  test.each(cases.filter(({ expected }) => expected.status === 200 && !expected.ids))(
    '$path with the key "$name" is in scope',
    async ({ method, url, key }) => {
      const [response, ofOperator] = [await request(method, url, key), await request(method, url, app.key)];
      expect([response.status, response.text]).toEqual([200, ofOperator.text]);
    },
  );
});

describe('A write with a read-only key', () => {
  test.each(cases.filter(({ expected }) => expected.status === 403))('$method $path is 403', async ({ url, key }) => {
    for (const path of [url, '/v1/stores/unknown/menu_configuration/']) {
      const { status, body } = await request('POST', path, key);
      expect([status, body]).toEqual([403, forbidden.body]);
    }
  });

  test('so is one with a key that has the permission ORDERS but not MENU, and the message names it', async () => {
    const key = await app.newKey({ merchantIds: ['mine-merchant'], permissions: ['ORDERS'] });
    for (const path of ['mine-store', 'foreign-store', 'unknown']) {
      const { status, body } = await request('POST', `/v1/stores/${path}/menu_configuration/`, key);
      expect([status, body]).toEqual([
        403,
        { detail: 'This API key does not have the permission MENU; it has ORDERS.' },
      ]);
    }
  });
});

describe("the ETag of another key's response reveals nothing", () => {
  test.each(cases.filter(({ method }) => method === 'GET'))(
    '$path with the key "$name"',
    async ({ url, key, expected }) => {
      const etag = (await request('GET', url, app.key)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w.-]+"$/);
      const plain = await request('GET', url, key);
      const conditional = await request('GET', url, key, { 'if-none-match': etag });
      const isSame = expected.status === 200 && !expected.ids;
      expect(conditional.status).toBe(isSame ? 304 : plain.status);
      expect(conditional.text).toBe(isSame ? '' : plain.text);
      if (expected.status === 200) return;
      expect((await request('GET', url, key, { 'if-none-match': '*' })).text).toBe(plain.text);
      expect((await request('HEAD', url, key, { 'if-none-match': etag })).status).toBe(expected.status);
    },
  );

  test.each(cases.filter(({ method }) => method === 'POST'))(
    'POST with the key "$name" and If-Match is $expected.status, and changes nothing',
    async ({ url, key, expected }) => {
      const etag = (await request('GET', url, app.key)).headers.get('etag') ?? '';
      const [plain, conditional] = [
        await request('POST', url, key),
        await request('POST', url, key, { 'if-match': etag }),
      ];
      expect(conditional.status).toBe(expected.status);
      expect(conditional.text).toBe(plain.text);
      expect((await request('GET', url, app.key)).headers.get('etag')).toBe(etag);
    },
  );
});
