import { composeServices } from '@theguild/federation-composition';
import { buildSchema, type GraphQLObjectType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { Permission } from '../../src/scope.ts';
import { startApp } from '../support/app.ts';
import { makeTenants } from '../support/tenants.ts';

const app = await startApp({ subgraph: true });
const keys = await makeTenants(app);
const mine = { 'x-api-key': keys.readOnly };

interface Representation {
  readonly __typename: string;
  readonly id: string;
}

interface FoundStore extends Representation {
  readonly items: readonly Representation[];
  readonly orders: { readonly nodes: readonly Representation[] };
}

const query = `query($representations: [_Any!]!) { _entities(representations: $representations) {
  __typename ... on Store { id timezone } ... on Merchant { id brandName } ... on Order { id status } ... on MenuItem { id externalId } } }`;
const entities = (representations: readonly unknown[], headers: Record<string, string> = mine) =>
  app.graphql(query, { representations }, headers);

/** A representation of everything with a key that a merchant has. */
async function representationsOf(merchant: string): Promise<Representation[]> {
  const select = `{ merchant(id: "${merchant}") { __typename id stores { nodes {
    __typename id items { __typename id } orders { nodes { __typename id } } } } } }`;
  const { stores, ...found } = (await app.graphql(select)).body.data.merchant;
  return [
    found,
    ...stores.nodes.flatMap(({ items, orders, ...store }: FoundStore) => [store, ...items, ...orders.nodes]),
  ];
}

describe('a subgraph', () => {
  test('is composed with another one, which adds a field to items and refers to stores', async () => {
    const { body } = await app.graphql('{ _service { sdl } }', {}, mine);
    const nutrition = `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@cost", "@requires", "@external"])
      type MenuItem @key(fields: "id") { id: ID!  price: Money! @external  calories: Int @cost(weight: 3)  perCent: Float @requires(fields: "price { amount }") }
      scalar SafeInt
      type Money { amount: SafeInt! @external }
      type Store @key(fields: "id", resolvable: false) { id: ID! }
      type Order @key(fields: "id") { id: ID!  courier: Courier }
      type Courier { name: String!  depot: Store! }
      type PageInfo @shareable { hasPreviousPage: Boolean!  hasNextPage: Boolean!  startCursor: String  endCursor: String }
      type Query { couriers: [Courier!]! }`;
    const composed = composeServices([
      { name: 'carte', typeDefs: parse(body.data._service.sdl), url: 'http://carte.example/graphql' },
      { name: 'nutrition', typeDefs: parse(nutrition), url: 'http://nutrition.example/graphql' },
    ]);
    expect(composed.errors).toBeUndefined();
    // They would be taken for those of Federation, which have the same names and other arguments.
    expect(body.data._service.sdl).not.toMatch(/@(cost|listSize|requires|readable)/);
    const supergraph = buildSchema(composed.supergraphSdl ?? '', { assumeValidSDL: true });
    const fieldsOf = (type: string) => Object.keys((supergraph.getType(type) as GraphQLObjectType).getFields());
    expect(fieldsOf('MenuItem')).toEqual(expect.arrayContaining(['calories', 'price', 'modifierGroups']));
    expect(fieldsOf('Query')).toEqual(expect.arrayContaining(['couriers', 'store', 'order']));
    expect(fieldsOf('Query')).not.toEqual(expect.arrayContaining(['_entities']));
  });

  test('gives a gateway what it refers to, in its order', async () => {
    const representations = await representationsOf('mine-merchant');
    expect(new Set(representations.map(({ __typename }) => __typename)).size).toBe(4);
    const { body } = await entities(representations);
    expect(body.errors).toBeUndefined();
    const found: Representation[] = body.data._entities;
    expect(found.map(({ __typename, id }) => ({ __typename, id }))).toEqual(representations);
  });

  test('gives it the same each time, and loads each once', async () => {
    const representations = await representationsOf('mine-merchant');
    const inUnion = query.replace(
      '... on Store { id timezone }',
      '... on _Entity { __typename ... on Store { name { text } timezone } }',
    );
    const named = `query($representations: [_Any!]!) { _entities(representations: $representations) { ...E } }
      fragment E on _Entity { __typename ...S ... on Node { nodeId } } fragment S on Store { id ... on _Entity { ... on Store { timezone } ... on Order { status } } }`;
    const beside = query.replace('{ _entities', '{ stores { nodes { items { id } orders { totalCount } } } _entities');
    for (const text of [beside, query, inUnion, named]) {
      const send = () => app.statements.during(() => app.graphql(text, { representations }, mine));
      const first = await send();
      expect(first.result.body.errors).toBeUndefined();
      for (const time of ['second', 'third']) {
        const { result, statements } = await send();
        expect(result.text, time).toBe(first.result.text);
        expect(statements.length, time).toBeLessThanOrEqual(first.statements.length);
      }
    }
    const ofStore = '{ store(id: "mine-store") { ... on _Entity { ... on Store { id } ... on Order { status } } } }';
    for (const text of [ofStore, ofStore, `${ofStore} `])
      expect((await app.graphql(text, {}, mine)).body.data, text).toEqual({ store: { id: 'mine-store' } });
    const ofStores = '{ stores { nodes { ... on _Entity { __typename ... on Store { id } } } } }';
    const stores = [await app.graphql(ofStores, {}, mine), await app.graphql(ofStores, {}, mine)];
    expect(stores[1]?.text).toBe(stores[0]?.text);
    expect(stores[1]?.body.data.stores.nodes[0]).toMatchObject({ __typename: 'Store', id: expect.any(String) });
  });

  test('shows its schema to no publishable key, and to others also without introspection', async () => {
    const closed = await startApp({ subgraph: true, introspection: false });
    const guest = await closed.newKey({ publishable: true, permissions: [], origins: ['https://menu.example'] });
    const ask = (key: string) => closed.graphql('{ _service { sdl } }', {}, { 'x-api-key': key });
    for (const time of ['first', 'second']) {
      const { body } = await ask(guest);
      expect(body.data, time).toBeUndefined();
      expect(body.errors[0], time).toMatchObject({
        message: 'Query._service is not for publishable keys.',
        extensions: { code: 'FORBIDDEN' },
      });
    }
    expect((await ask('')).status).toBe(401);
    expect((await ask(closed.key)).body.data._service.sdl).toContain('type Store');
    expect((await closed.get('/schema.graphql?for=guests')).status).toBe(404);
    expect((await app.get('/schema.graphql?for=guests')).text).not.toContain('_service');
  });

  test('gives a key nothing of others, through any type', async () => {
    const representations = await representationsOf('mine-merchant');
    const nothing = { data: { _entities: representations.map(() => null) } };
    expect((await entities(representations, { 'x-api-key': keys.foreign })).body).toEqual(nothing);
    // The sibling's own store, and the merchant that it belongs to.
    const { body } = await entities(representations, { 'x-api-key': keys.sibling });
    const seen = body.data._entities.filter((entity: unknown) => entity !== null);
    expect(JSON.stringify(seen)).not.toContain('mine-store');
    expect(seen).toHaveLength(4);
    for (const name of ['none', 'unknown', 'expired', 'revoked'] as const) {
      expect((await entities(representations, { 'x-api-key': keys[name] })).status, name).toBe(401);
    }
  });

  test.each([
    [['READ_MENUS'], ['Merchant', 'Store', 'MenuItem']],
    [['READ_ORDERS'], ['Store', 'Order']],
  ] as const)('gives a key with %s %s', async (permissions, types) => {
    const key = await app.newKey({ merchantIds: ['mine-merchant'], permissions: [...permissions] as Permission[] });
    const representations = await representationsOf('mine-merchant');
    const select = 'query($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }';
    const { body } = await app.graphql(select, { representations }, { 'x-api-key': key });
    const found = body.data._entities.flatMap((entity: Representation | null) => entity?.__typename ?? []);
    expect(new Set(found)).toEqual(new Set(types));
    const fields = permissions[0] === 'READ_MENUS' ? '... on Order { id }' : '... on MenuItem { id }';
    const refused = await app.graphql(select.replace('__typename', fields), { representations }, { 'x-api-key': key });
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
  });

  test('refuses what is no representation, every one with its place', async () => {
    const faulty = [
      { __typename: 'Store' },
      { __typename: 'Customer', id: 'x' },
      { __typename: 'Query', id: 'x' },
      { __typename: 'constructor', id: 'x' },
      { __typename: 'Store', id: { $gt: '' } },
      { id: 'x' },
      'Store',
      [],
    ];
    const { body } = await entities(faulty);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
    expect(body.errors[0].extensions.errors).toEqual(
      faulty.map((_, index) => ({
        path: ['representations', index],
        type: 'value_error',
        message: 'a representation has a __typename, one of Store, Merchant, Order, MenuItem, and an id',
      })),
    );
    const unknown = ['item_0', 'item_99999999999999999999', 'item_1_at_2', 'menu_1', 'a\0b', ''];
    const { body: absent } = await entities(unknown.map(id => ({ __typename: 'MenuItem', id })));
    expect(absent).toEqual({ data: { _entities: unknown.map(() => null) } });
  });

  test('refuses long lists, and is charged for each representation', async () => {
    const store = { __typename: 'Store', id: 'mine-store' };
    const times = (count: number) => Array.from({ length: count }, () => store);
    expect((await entities(times(1001))).body.errors[0].message).toBe(
      'representations: the list has 1001 elements; at most 1000 are allowed',
    );
    const select = 'query($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }';
    const { body } = await app.graphql(select, { representations: times(20) }, { ...mine, 'x-carte-cost': '1' });
    expect(body.extensions.cost).toBe(20 * 11);
    const wide = select.replace(
      '__typename',
      '... on Store { a: orders(first: 500) { nodes { id } } b: orders(first: 500) { nodes { id } } }',
    );
    const refused = await app.graphql(wide, { representations: times(1000) }, mine);
    expect(refused.body.errors[0].extensions.code).toBe('QUERY_TOO_COMPLEX');
  });

  test('serves routes and queries as before, and only where it is asked for', async () => {
    expect((await app.get('/v1/stores/mine-store', mine)).status).toBe(200);
    expect((await app.graphql('{ store(id: "mine-store") { id } }', {}, mine)).body.data.store.id).toBe('mine-store');
    const plain = await startApp();
    const { body } = await plain.graphql('{ __type(name: "Query") { fields { name } } }');
    expect(JSON.stringify(body)).not.toContain('_entities');
    expect((await plain.get('/schema.graphql')).text).not.toContain('_Entity');
  });
});
