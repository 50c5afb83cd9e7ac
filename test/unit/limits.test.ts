import { getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { defaultDocumentLimits, documentLimits } from '../../src/graphql/limits.ts';
import { buildGraph } from '../support/graph.ts';

const graph = buildGraph();
const judge = documentLimits(graph);

function ask(text: string, variables: Record<string, unknown> = {}, operationName?: string) {
  const { cost, errors } = judge(parse(text), operationName, variables);
  return { cost, codes: errors.map(error => error.extensions.code), messages: errors.map(error => error.message) };
}

const texts = 'name { translations } description { translations }';
const tree = `menus {
  id name { translations } availability { dayOfWeek timePeriods { startTime endTime } }
  categories { id ${texts} items { id ${texts} price dietaryLabels
    modifierGroups { id ${texts} modifierItems { id ${texts} priceChange } } } }
}`;

describe('What a front end asks for passes', () => {
  test.each([
    ['the whole tree of a store', `{ store(id: "s") { ${tree} } }`],
    ['the whole trees of five stores', `{ stores(limit: 5) { ${tree} } }`],
    ['the flat lists of a store', `{ store(id: "s") { menus { id } categories { id } items { id ${texts} } } }`],
    ['the menus of a hundred stores', '{ stores { name menus { name { text } categories { name { text } } } } }'],
    ['the orders of a hundred stores', '{ stores { orders { count nodes { id customer { name } items } } } }'],
    ['counts of the orders of all stores', '{ stores(limit: 1000) { orders(pageSize: 1) { count } } }'],
    ['what goes with an item, and where', '{ store(id: "s") { items { modifierGroups { items { id } } } } }'],
    ['the schema', getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true })],
  ])('%s', (_what, text) => {
    expect(ask(text).messages).toEqual([]);
  });
});

describe('Cost', () => {
  test.each([
    ['a value costs nothing', '{ stores { id name } }', 100],
    ['an object costs one', '{ store(id: "s") { merchant { brandName } } }', 2],
    ['an alias costs one', '{ store(id: "s") { a: id b: id } }', 3],
    ['a list is as long as its argument says', '{ stores(limit: 7) { id } }', 7],
    ['a list of none costs nothing', '{ stores(limit: 0) { merchant { id } } }', 0],
    ['a negative length is refused elsewhere', '{ stores(limit: -5) { merchant { id } } }', 0],
    ['lists multiply', '{ stores(limit: 7) { phoneNumbers { id } merchant { id } } }', 7 * (1 + 3 + 1)],
    ['the members of a list of values count', '{ order(id: "o") { items } }', 1 + 5],
    ['loading a configuration costs a thousand', '{ store(id: "s") { menus { id } } }', 1 + 1000 + 3],
    ['a search costs a hundred', '{ store(id: "s") { orders(pageSize: 3) { nodes { id } } } }', 1 + 100 + 1 + 3],
    ['a page has 50 orders unless told', '{ store(id: "s") { orders { nodes { customer { name } } } } }', 102 + 50 * 2],
    [
      'a fragment counts where it is spread',
      '{ a: stores { ...S } b: stores { ...S } } fragment S on Store { merchant { id } }',
      400,
    ],
    [
      'what is left out counts nothing',
      '{ stores { merchant @skip(if: true) { id } merchant @include(if: false) { id } } }',
      100,
    ],
  ])('%s', (_rule, text, cost) => {
    expect(ask(text).cost).toBe(cost);
  });

  test('the length of a page reaches into fragments', () => {
    const text = `{ store(id: "s") { a: orders(pageSize: 10) { ...P } b: orders(pageSize: 20) { ...P } } }
      fragment P on OrderPage { nodes { ...O } } fragment O on Order { customer { name } }`;
    expect(ask(text).cost).toBe(1 + 2 * 101 + (10 + 20) * 2);
  });

  test('variables say lengths and conditions, as do their defaults', () => {
    const text = `query ($limit: Int! = 9, $all: Boolean! = false) {
      stores(limit: $limit) { id merchant @include(if: $all) { id } }
    }`;
    expect(ask(text).cost).toBe(9);
    expect(ask(text, { limit: 20 }).cost).toBe(20);
    expect(ask(text, { limit: 20, all: true }).cost).toBe(40);
  });

  test('a variable without a value leaves the length to the argument', () => {
    expect(ask('query ($n: Int) { store(id: "s") { orders(pageSize: $n) { nodes { id } } } }').cost).toBe(
      1 + 100 + 1 + 50,
    );
  });

  test('a variable of a wrong type is no length; it is refused elsewhere', () => {
    for (const limit of ['1', null, {}, [5], true])
      expect(ask('query ($n: Int!) { stores(limit: $n) { id } }', { limit }).cost).toBe(100);
  });

  test('only the operation that is executed counts', () => {
    const text = `query Small { stores(limit: 1) { id } } query Large { stores(limit: 1000) { ${tree} } }`;
    expect(ask(text, {}, 'Small')).toMatchObject({ cost: 1, codes: [] });
    expect(ask(text, {}, 'Large').codes).toEqual(['QUERY_TOO_COMPLEX']);
    expect(ask(text)).toMatchObject({ cost: 0, codes: [] });
  });
});

test('Each limit is an option, and a refusal names the value, the rule and the place', () => {
  const tight = { depth: 2, introspectionDepth: 2, cost: 10, rootFields: 2, aliases: 1, selections: 3, directives: 1 };
  expect(Object.keys(tight)).toEqual(expect.arrayContaining(Object.keys(defaultDocumentLimits)));
  const text = `{
    a: stores @skip(if: false) @include(if: true) { merchant { id } }
    b: merchants { id }
    __schema { queryType { name } }
  }`;
  const { errors } = documentLimits(graph, tight)(parse(text), undefined, {});
  expect(errors.map(({ extensions, message, locations }) => [extensions.code, message, locations?.[0]?.line])).toEqual([
    ['QUERY_TOO_LONG', 'The document has 8 selections; at most 3 are allowed.', expect.any(Number)],
    ['TOO_MANY_ALIASES', 'The document has 2 aliases, one too many at b; at most 1 are allowed.', 3],
    ['TOO_MANY_DIRECTIVES', 'The document has 2 directives at one place; at most 1 are allowed.', 2],
    ['TOO_MANY_ROOT_FIELDS', 'The query has 3 root fields; at most 2 are allowed.', 1],
    ['QUERY_TOO_DEEP', 'The query is 3 levels deep at stores.merchant.id; at most 2 are allowed.', 2],
    ['QUERY_TOO_DEEP', 'The query is 3 levels deep at __schema.queryType.name; at most 2 are allowed.', 4],
    ['QUERY_TOO_COMPLEX', 'The query costs 302 objects, most of them at stores; at most 10 are allowed.', 2],
  ]);
});
