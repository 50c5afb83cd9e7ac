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
  /** Compared with the whole body. */
  readonly body?: unknown;
  /** The ids in the body, in their order. */
  readonly ids?: readonly string[];
}

const refused = (detail: string): Expected => ({ status: 401, body: { detail } });
const needed = refused('An API key is needed in the header x-api-key.');
const unknown = refused(unreadable);
const absent = (name: string): Expected => ({
  status: 404,
  body: { detail: `Nothing with this ${name} is in the scope of the API key.` },
});
const lists = (...listed: readonly string[]): Expected => ({ status: 200, ids: listed });
/** What the operator's key reads. */
const whole: Expected = { status: 200 };
const forbidden: Expected = { status: 403, body: { detail: 'This API key may only read.' } };

const noStore = absent('store_service_id');
const noOrder = absent('order_service_id');
const noMerchant = absent('merchant_service_id');
const without = { none: needed, unknown, expired: unknown, revoked: unknown };

const table: Readonly<Record<string, Readonly<Record<KeyName, Expected>>>> = {
  createMenuConfiguration: { ...without, readOnly: forbidden, foreign: noStore, sibling: noStore },
  getMenuConfiguration: { ...without, readOnly: whole, foreign: noStore, sibling: noStore },
  getMenuConfigurationFlat: { ...without, readOnly: whole, foreign: noStore, sibling: noStore },
  listOrders: { ...without, readOnly: whole, foreign: noStore, sibling: noStore },
  getOrder: { ...without, readOnly: whole, foreign: noOrder, sibling: noOrder },
  getStore: { ...without, readOnly: whole, foreign: noStore, sibling: noStore },
  listStores: {
    ...without,
    readOnly: lists('mine-sibling', 'mine-store'),
    foreign: lists('foreign-sibling', 'foreign-store'),
    sibling: lists('mine-sibling'),
  },
  listMerchants: {
    ...without,
    readOnly: lists('mine-merchant'),
    foreign: lists('foreign-merchant'),
    sibling: lists('mine-merchant'),
  },
  getMerchant: { ...without, readOnly: whole, foreign: noMerchant, sibling: whole },
};

const cases = routes.flatMap(({ method, path, operation }) =>
  Object.entries(table[operation] ?? {}).map(([name, expected]) => ({
    method,
    path,
    url: path.replace(/\{(\w+)\}/, (_, parameter: string) => ids[parameter] ?? ''),
    name,
    key: keys[name as KeyName],
    expected,
  })),
);

function ask(method: string, url: string, key: string, condition: Record<string, string> = {}) {
  const headers = { 'x-api-key': key, ...condition };
  return method === 'POST' ? app.post(url, fullBody(), headers) : app.send(method, url, { headers });
}

test('Every route is in the table, with every key', () => {
  expect(routes.map(({ operation }) => operation).sort()).toEqual(Object.keys(table).sort());
  expect(cases).toHaveLength(9 * 7);
});

describe('A key has access to its own merchants and stores, and to nothing else', () => {
  test.each(cases)('$method $path with the key "$name" is $expected.status', async ({ method, url, key, expected }) => {
    const answer = await ask(method, url, key);
    expect(answer.status).toBe(expected.status);
    expect(answer.headers.get('www-authenticate')).toBe(expected.status === 401 ? 'ApiKey' : null);
    if (expected.status !== 200) {
      expect(answer.body).toEqual(expected.body);
      expect(answer.headers.get('etag')).toBeNull();
    } else if (expected.ids) expect(answer.body.map(({ id }: { id: string }) => id)).toEqual(expected.ids);
    else expect(answer.text).toBe((await ask(method, url, app.key)).text);
  });
});

describe("Somebody else's tag tells nothing", () => {
  const reads = cases.filter(({ method }) => method === 'GET');

  test.each(reads)('$path with the key "$name"', async ({ url, key, expected }) => {
    const tag = (await ask('GET', url, app.key)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w.-]+"$/);
    const plain = await ask('GET', url, key);
    const conditional = await ask('GET', url, key, { 'if-none-match': tag });
    const isSame = expected.status === 200 && !expected.ids;
    expect(conditional.status).toBe(isSame ? 304 : plain.status);
    expect(conditional.text).toBe(isSame ? '' : plain.text);
    if (expected.status !== 200) {
      expect((await ask('GET', url, key, { 'if-none-match': '*' })).text).toBe(plain.text);
      expect((await app.send('HEAD', url, { headers: { 'x-api-key': key, 'if-none-match': tag } })).status).toBe(
        expected.status,
      );
    }
  });

  test('a write with it is refused as one without', async () => {
    const tag = (await ask('GET', '/v1/stores/mine-store/menu_configuration/', app.key)).headers.get('etag') ?? '';
    for (const name of ['none', 'unknown', 'expired', 'revoked', 'readOnly', 'foreign', 'sibling'] as const) {
      const url = '/v1/stores/mine-store/menu_configuration/';
      const [plain, conditional] = [
        await ask('POST', url, keys[name]),
        await ask('POST', url, keys[name], { 'if-match': tag }),
      ];
      expect([conditional.status, conditional.text]).toEqual([plain.status, plain.text]);
    }
  });
});

test('Nothing of all this has changed anything', async () => {
  const { headers } = await ask('GET', '/v1/stores/mine-store/menu_configuration/', app.key);
  expect(headers.get('etag')).toMatch(/^"1-/);
});
