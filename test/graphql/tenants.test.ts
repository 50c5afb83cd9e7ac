import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { buildGraph } from '../support/graph.ts';
import { type KeyName, makeTenants, unreadable } from '../support/tenants.ts';

const app = await startApp();
const keys = await makeTenants(app);

interface Expected {
  readonly status: number;
  readonly data?: unknown;
  readonly error?: { readonly message: string; readonly extensions: { readonly code: string } };
}

const unauthenticated = (message: string): Expected => ({
  status: 401,
  error: { message, extensions: { code: 'UNAUTHENTICATED' } },
});
const needed = unauthenticated('An API key is needed in the header x-api-key.');
const unknown = unauthenticated(unreadable);
const without = { none: needed, unknown, expired: unknown, revoked: unknown };

const answers = (data: unknown): Expected => ({ status: 200, data });
const nothing = answers(null);
const id = (value: string) => answers({ id: value });
const list = (...values: readonly string[]) => answers(values.map(value => ({ id: value })));
const forbidden: Expected = {
  status: 200,
  error: { message: 'This API key may only read.', extensions: { code: 'FORBIDDEN' } },
};

/** Every way into the graph, with what each key finds there. */
const table: Readonly<Record<string, { readonly text: string } & Readonly<Record<KeyName, Expected>>>> = {
  'Query.store': {
    text: '{ root: store(id: "mine-store") { id } }',
    ...without,
    readOnly: id('mine-store'),
    foreign: nothing,
    sibling: nothing,
  },
  'Query.stores': {
    text: '{ root: stores { id } }',
    ...without,
    readOnly: list('mine-sibling', 'mine-store'),
    foreign: list('foreign-sibling', 'foreign-store'),
    sibling: list('mine-sibling'),
  },
  'Query.merchant': {
    text: '{ root: merchant(id: "mine-merchant") { id } }',
    ...without,
    readOnly: id('mine-merchant'),
    foreign: nothing,
    sibling: id('mine-merchant'),
  },
  'Query.merchants': {
    text: '{ root: merchants { id } }',
    ...without,
    readOnly: list('mine-merchant'),
    foreign: list('foreign-merchant'),
    sibling: list('mine-merchant'),
  },
  'Query.order': {
    text: '{ root: order(id: "mine-store-order") { id } }',
    ...without,
    readOnly: id('mine-store-order'),
    foreign: nothing,
    sibling: nothing,
  },
  'Mutation.replaceMenuConfiguration': {
    text: 'mutation { root: replaceMenuConfiguration(storeId: "mine-store", input: { items: [] }) { revision } }',
    ...without,
    readOnly: forbidden,
    foreign: nothing,
    sibling: nothing,
  },
};

const cases = Object.entries(table).flatMap(([root, { text, ...byKey }]) =>
  Object.entries(byKey).map(([name, expected]) => ({ root, text, name, key: keys[name as KeyName], expected })),
);

test('Every root field of the graph is in the table', () => {
  const graph = buildGraph();
  const roots = [graph.getQueryType(), graph.getMutationType(), graph.getSubscriptionType()].flatMap(type =>
    Object.keys(type?.getFields() ?? {}).map(field => `${type?.name}.${field}`),
  );
  expect(Object.keys(table).sort()).toEqual(roots.sort());
});

describe('A key has access to its own merchants and stores, and to nothing else', () => {
  test.each(cases)('$root with the key "$name"', async ({ text, key, expected }) => {
    const { status, body } = await app.graphql(text, {}, { 'x-api-key': key });
    expect(status).toBe(expected.status);
    if (expected.error) {
      expect(body.errors).toEqual([expect.objectContaining({ message: expected.error.message })]);
      expect(body.errors[0].extensions).toMatchObject(expected.error.extensions);
      expect(body.data?.root ?? null).toBeNull();
    } else expect(body).toEqual({ data: { root: expected.data } });
  });

  test.each(['unknown', 'expired', 'revoked'] as const)(
    'with the key "%s" not even the schema is shown',
    async name => {
      const { status, body } = await app.graphql(
        '{ __schema { queryType { name } } }',
        {},
        { 'x-api-key': keys[name] },
      );
      expect([status, body.data]).toEqual([401, undefined]);
    },
  );
});

test('A cached response is sent only to keys whose scope has its store', async () => {
  const text = '{ store(id: "mine-store") { menuRevision menus { externalId categories { externalId } } } }';
  const shown = await app.graphql(text, {}, { 'x-api-key': keys.readOnly });
  expect(shown.body.data.store.menus).toHaveLength(1);
  for (const name of ['foreign', 'sibling'] as const) {
    const { body } = await app.graphql(text, {}, { 'x-api-key': keys[name] });
    expect(body).toEqual({ data: { store: null } });
  }
  for (const name of ['none', 'unknown', 'expired', 'revoked'] as const) {
    expect((await app.graphql(text, {}, { 'x-api-key': keys[name] })).status).toBe(401);
  }
});
