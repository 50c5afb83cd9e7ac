import { createLimitCheck, defaultQueryLimits } from '@carte/operations/limits/limits';
import { getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildPublicGraph } from '../support/graph.ts';

const graph = buildPublicGraph();
const checkLimits = createLimitCheck(graph);

function check(text: string, variables: Record<string, unknown> = {}, operationName?: string) {
  const { cost, errors } = checkLimits(parse(text), operationName, variables);
  return { cost, codes: errors.map(error => error.extensions.code), messages: errors.map(error => error.message) };
}

const texts = 'name { translations } description { translations }';
const tree = `menus {
  id name { translations } availability { dayOfWeek timePeriods { startTime endTime } }
  categories { id ${texts} items { id ${texts} price dietaryLabels
    modifierGroups { id ${texts} modifierItems { id ${texts} priceChange } } } }
}`;

describe('Queries of ordinary front ends are within the limits', () => {
  test.each([
    ['the whole tree of a store', `{ store(id: "s") { ${tree} } }`],
    ['the whole trees of five stores', `{ stores(first: 5) { nodes { ${tree} } } }`],
    ['the flat lists of a store', `{ store(id: "s") { menus { id } categories { id } items { id ${texts} } } }`],
    [
      'the menus of a hundred stores',
      '{ stores { nodes { name { text } menus { name { text } categories { name { text } } } } } }',
    ],
    [
      'the orders of a hundred stores',
      '{ stores { nodes { orders { totalCount nodes { id customer { name } items } } } } }',
    ],
    ['counts of the orders of all stores', '{ stores(first: 1000) { nodes { orders(first: 1) { totalCount } } } }'],
    ['what goes with an item, and where', '{ store(id: "s") { items { modifierGroups { usedByItems { id } } } } }'],
    ['the schema', getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true })],
  ])('%s', (_what, text) => {
    expect(check(text).messages).toEqual([]);
  });
});

describe('Cost', () => {
  test.each([
    ['a value costs nothing', '{ stores { nodes { id timezone } } }', 1 + 100],
    ['an object costs one', '{ store(id: "s") { merchant { brandName } } }', 2],
    ['an alias costs one', '{ store(id: "s") { a: id b: id } }', 3],
    ['a list has the length of its slicing argument', '{ stores(first: 7) { nodes { id } } }', 1 + 7],
    ['an empty list costs nothing', '{ stores(first: 0) { nodes { merchant { id } } } }', 1],
    [
      'a negative length costs nothing; the resolver rejects it',
      '{ stores(first: -5) { nodes { merchant { id } } } }',
      1,
    ],
    ['lists multiply', '{ stores(first: 7) { nodes { phoneNumbers { id } merchant { id } } } }', 1 + 7 * (1 + 3 + 1)],
    ['the members of a list of values count', '{ order(id: "o") { items } }', 1 + 5],
    ['loading a configuration costs a thousand', '{ store(id: "s") { menus { id } } }', 1 + 1000 + 3],
    ['a search costs a hundred', '{ store(id: "s") { orders(first: 3) { nodes { id } } } }', 1 + 100 + 1 + 3],
    [
      'a search in a menu costs five thousand',
      '{ store(id: "s") { searchItems(first: 7) { nodes { id } } } }',
      1 + 5001 + 7,
    ],
    [
      'a page has the length of first or last, in nodes and in edges',
      '{ store(id: "s") { orders(first: 500) { nodes { id } } } stores(last: 30) { edges { node { id } } pageInfo { endCursor } } }',
      1 + 101 + 500 + 1 + 30 * 2 + 1,
    ],
    ['a page has 50 orders by default', '{ store(id: "s") { orders { nodes { customer { name } } } } }', 102 + 50 * 2],
    [
      'a fragment counts where it is spread',
      '{ a: stores { nodes { ...S } } b: stores { nodes { ...S } } } fragment S on Store { merchant { id } }',
      2 * (1 + 200),
    ],
    [
      '@skip and @include exclude fields from the cost',
      '{ stores { nodes { merchant @skip(if: true) { id } merchant @include(if: false) { id } } } }',
      1 + 100,
    ],
  ])('%s', (_rule, text, cost) => {
    expect(check(text).cost).toBe(cost);
  });

  test('the page size applies to sized fields within fragments', () => {
    const text = `{ store(id: "s") { a: orders(first: 10) { ...P } b: orders(first: 20) { ...P } } }
      fragment P on OrderConnection { nodes { ...O } } fragment O on Order { customer { name } }`;
    expect(check(text).cost).toBe(1 + 2 * 101 + (10 + 20) * 2);
  });

  test('variables and their defaults give lengths and conditions', () => {
    const text = `query ($limit: Int! = 9, $all: Boolean! = false) {
      stores(first: $limit) { nodes { id merchant @include(if: $all) { id } } }
    }`;
    expect(check(text).cost).toBe(1 + 9);
    expect(check(text, { limit: 20 }).cost).toBe(1 + 20);
    expect(check(text, { limit: 20, all: true }).cost).toBe(1 + 40);
  });

  test('a variable without a value falls back to the assumed size', () => {
    expect(check('query ($n: Int) { store(id: "s") { orders(first: $n) { nodes { id } } } }').cost).toBe(
      1 + 100 + 1 + 50,
    );
  });

  test('a variable of a wrong type falls back to the assumed size; execution rejects it', () => {
    for (const limit of ['1', null, {}, [5], true])
      expect(check('query ($n: Int!) { stores(first: $n) { nodes { id } } }', { limit }).cost).toBe(1 + 100);
  });

  test('only the selected operation counts', () => {
    const text = `query Small { stores(first: 1) { nodes { id } } } query Large { stores(first: 1000) { nodes { ${tree} } } }`;
    expect(check(text, {}, 'Small')).toMatchObject({ cost: 2, codes: [] });
    expect(check(text, {}, 'Large').codes).toEqual(['QUERY_TOO_COMPLEX']);
    expect(check(text)).toMatchObject({ cost: 0, codes: [] });
  });
});

describe('Cost of what a caller gives', () => {
  const line = (modifiers: number) => ({ itemExternalId: 'i', modifiers: Array(modifiers).fill({}) });
  const markOrders =
    'mutation ($ids: [ID!]!) { markOrders(input: { orderIds: $ids, isRead: true }) { orders { id } } }';
  const placeOrder = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }';

  test.each<[string, string, Record<string, unknown>, number]>([
    [
      'a mutation costs a thousand',
      'mutation { revokeApiKey(input: { apiKeyId: "k" }) { apiKey { id } } }',
      {},
      1000 + 2,
    ],
    ['each element of a list counts, and sizes the result', markOrders, { ids: ['a', 'b', 'c'] }, 1001 + 3 * (60 + 1)],
    ['a value where a list is expected is one element', markOrders, { ids: 'a' }, 1001 + 61],
    ['an empty list costs nothing', markOrders, { ids: [] }, 1001],
    [
      'a literal list counts as a variable does',
      'mutation ($b: ID!) { markOrders(input: { orderIds: ["a", $b] }) { orders { id } } }',
      { b: 'b' },
      1001 + 2 * 61,
    ],
    [
      'a list within a variable counts as well',
      'mutation ($input: MarkOrdersInput!) { markOrders(input: $input) { orders { id } } }',
      { input: { orderIds: ['a', 'b'] } },
      1001 + 2 * 61,
    ],
    [
      'the default of a variable counts',
      'mutation ($ids: [ID!]! = ["a", "b"]) { markOrders(input: { orderIds: $ids }) { orders { id } } }',
      {},
      1001 + 2 * 61,
    ],
    ['lists in lists add up', placeOrder, { input: { lines: [line(2), line(0), line(3)] } }, 5002 + 3 * 30 + 5 * 25],
    [
      'variables within literals count',
      `mutation ($lines: [OrderLineInput!]!, $line: OrderLineInput!) {
        a: placeOrder(input: { lines: $lines }) { order { id } }
        b: placeOrder(input: { lines: [$line, { modifiers: [{}, {}] }] }) { order { id } }
      }`,
      { lines: [line(1), line(1)], line: line(4) },
      2 * 5002 + (2 * 30 + 2 * 25) + (2 * 30 + 6 * 25),
    ],
    [
      'lists of several arguments add up',
      'mutation ($a: [StockInput!]!, $b: [StockInput!]!) { setStock(input: { storeId: "s", items: $a, modifierItems: $b }) { __typename } }',
      { a: Array(7).fill({}), b: Array(3).fill({}) },
      20_001 + 100,
    ],
    [
      'what is given to a field of a list counts for each member',
      'query ($status: [OrderStatus!]) { stores(first: 7) { nodes { orders(filter: { statuses: $status }) { totalCount } } } }',
      { status: ['READY', 'PENDING'] },
      1 + 7 * (1 + 101 + 2),
    ],
    ['null, and what has a wrong type, is left to validation', placeOrder, { input: { lines: [null, 5, []] } }, 5092],
    ['names of inherited properties are not given', placeOrder, { input: Object.create({ lines: [line(1)] }) }, 5002],
  ])('%s', (_rule, text, variables, cost) => {
    expect(check(text, variables).cost).toBe(cost);
  });

  const calls = (count: number, call: string) =>
    Array.from({ length: count }, (_, index) => `c${index}: ${call}`).join('\n');

  test('marks of 500 orders are within the limit 32 times, but not 50 times', () => {
    const ids = Array.from({ length: 500 }, (_, index) => `order-${index}`);
    const mark = (count: number) =>
      `mutation ($ids: [ID!]!) { ${calls(count, 'markOrders(input: { orderIds: $ids }) { orders { id } }')} }`;
    expect(check(mark(31), { ids }).codes).toEqual([]);
    expect(check(mark(50), { ids }).messages).toEqual([
      'The mutation costs 1,575,050 objects, most of them at markOrders; at most 1,000,000 are allowed.',
    ]);
  });

  test('the largest order is within the limit, and two of them are not', () => {
    const variables = { lines: Array(200).fill(line(100)) };
    const place = (count: number) =>
      `mutation ($lines: [OrderLineInput!]!) { ${calls(count, 'placeOrder(input: { lines: $lines }) { order { id } }')} }`;
    expect(check(place(1), variables).codes).toEqual([]);
    expect(check(place(2), variables).codes).toEqual(['QUERY_TOO_COMPLEX']);
  });

  test('fifty orders of ten lines are within the limit', () => {
    const text = calls(50, 'placeOrder(input: { lines: $lines }) { order { id } }');
    const variables = { lines: Array(10).fill(line(5)) };
    expect(check(`mutation ($lines: [OrderLineInput!]!) { ${text} }`, variables).codes).toEqual([]);
  });

  test('the largest menu, and the stock of all its entities, is within the limit', () => {
    const replace = `mutation ($input: ReplaceMenuConfigurationInput!) {
      replaceMenuConfiguration(input: $input) { store { ${tree} menuDiagnostics { message } } }
    }`;
    const input = { items: Array(12_000).fill({}), modifierItems: Array(8000).fill({}) };
    expect(check(replace, { input }).codes).toEqual([]);
    const stock =
      'mutation ($items: [StockInput!]!) { setStock(input: { storeId: "s", items: $items }) { __typename } }';
    expect(check(stock, { items: Array(20_000).fill({}) }).codes).toEqual([]);
  });

  test('a long variable is counted once, however often it is used', () => {
    const readsFor = (count: number) => {
      let reads = 0;
      const counted = {
        get modifiers() {
          reads += 1;
          return [];
        },
      };
      const text = calls(count, 'placeOrder(input: $input) { order { id } }');
      check(`mutation ($input: PlaceOrderInput!) { ${text} }`, { input: { lines: Array(100).fill(counted) } });
      return reads;
    };
    expect(readsFor(1)).toBeGreaterThanOrEqual(100);
    expect(readsFor(50)).toBe(readsFor(1));
  });
});

test('Each limit is an option, and its error names the value, the limit and the path', () => {
  const tight = {
    depth: 2,
    introspectionDepth: 2,
    cost: 10,
    streamCost: 5,
    rootFields: 2,
    aliases: 1,
    selections: 3,
    expandedFields: 3,
    directives: 1,
    literals: 1,
    repetitions: 2,
    objectRepetitions: 2,
    spreads: 0,
  };
  expect(Object.keys(tight)).toEqual(expect.arrayContaining(Object.keys(defaultQueryLimits)));
  const text = `{
    a: stores @skip(if: false) @include(if: true) { nodes { merchant { id } } }
    b: merchants { nodes { id } }
    __schema { queryType { name } }
    stores { nodes { orders(status: [READY, PENDING], first: $size) { totalCount } } ...none }
  }`;
  const { errors } = createLimitCheck(graph, tight)(parse(text), undefined, {});
  expect(errors.map(({ extensions, message, locations }) => [extensions.code, message, locations?.[0]?.line])).toEqual([
    ['QUERY_TOO_LONG', 'The document has 15 selections; at most 3 are allowed.', expect.any(Number)],
    ['QUERY_TOO_LONG', 'The document has 1 fragment spreads; at most 0 are allowed.', 5],
    ['QUERY_TOO_LONG', 'The document selects nodes 3 times; at most 2 are allowed.', expect.any(Number)],
    ['QUERY_TOO_LONG', 'The document selects nodes with fields 3 times; at most 2 are allowed.', expect.any(Number)],
    ['TOO_MANY_ALIASES', 'The document has 2 aliases, exceeding the limit at b; at most 1 are allowed.', 3],
    ['TOO_MANY_DIRECTIVES', 'The document has 2 directives on one node; at most 1 are allowed.', 2],
    [
      'TOO_MANY_LITERALS',
      'The arguments of orders have 2 literals, for which variables may stand; at most 1 are allowed.',
      5,
    ],
    ['TOO_MANY_ROOT_FIELDS', 'The query has 4 root fields; at most 2 are allowed.', 1],
    ['QUERY_TOO_DEEP', 'The query is 4 levels deep at stores.nodes.merchant; at most 2 are allowed.', 2],
    ['QUERY_TOO_DEEP', 'The query is 3 levels deep at __schema.queryType.name; at most 2 are allowed.', 4],
    [
      'QUERY_TOO_COMPLEX',
      'The query costs 10,505 objects, most of them at stores.nodes.orders; at most 10 are allowed.',
      5,
    ],
  ]);
  const twice =
    '{ stores { ...S } merchants { nodes { stores { ...S } } } } fragment S on StoreConnection { nodes { id } }';
  const { errors: ofTwice } = createLimitCheck(graph, { expandedFields: 7 })(parse(twice), undefined, {});
  expect(ofTwice.map(({ message }) => message)).toEqual([
    'The document has 8 fields when its fragments are expanded; at most 7 are allowed.',
  ]);
  expect(createLimitCheck(graph, { expandedFields: 8 })(parse(twice), undefined, {}).errors).toEqual([]);
  const stream = 'subscription { storeEvents { store { orders { nodes { id } } } } }';
  const { errors: ofStream } = createLimitCheck(graph, { streamCost: 5 })(parse(stream), undefined, {});
  expect(ofStream.map(({ message }) => message)).toEqual([
    'The subscription costs 153 objects an event, most of them at storeEvents.store.orders; at most 5 are allowed. ' +
      'Query the rest when an event tells that it has changed.',
  ]);
});
