import { createLimitCheck } from '@carte/operations/limits/limits';
import { type DocumentNode, getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildPublicGraph } from '../support/graph.ts';

const checkLimits = createLimitCheck(buildPublicGraph());

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');
const nested = (levels: number, open: string, inside: string) =>
  open.repeat(levels) + inside + '}'.repeat(levels * (open.split('{').length - 1));

const tree = 'menus { categories { items { name { text } modifierGroups { modifierItems { name { text } } } } } }';
const walk = (levels: number) => nested(levels, 'usedAsModifierItems { modifierGroups { usedByItems { ', 'id');

const attacks: Readonly<Record<string, readonly [text: string, code: string, variables?: Record<string, unknown>]>> = {
  'a walk too deep': [
    `{ store(id: "s") { ${nested(10, 'merchant { stores(first: 1) { nodes { ', 'id')} } }`,
    'QUERY_TOO_DEEP',
  ],
  'a walk as deep as the parser goes': [
    `{ store(id: "s") { ${nested(400, 'merchant { stores(first: 1) { nodes { ', 'id')} } }`,
    'QUERY_TOO_DEEP',
  ],
  'depth hidden in fragments': [
    `{ store(id: "s") { ...F0 } } ${times(8, at => `fragment F${at} on Store { merchant { stores(first: 1) { nodes { ...F${at + 1} } } } }`)} fragment F8 on Store { id }`,
    'QUERY_TOO_DEEP',
  ],
  'a chain of a thousand fragments': [
    `{ store(id: "s") { ...F0 } } ${times(1000, at => `fragment F${at} on Store { ...F${at + 1} }`)} fragment F1000 on Store { id }`,
    'QUERY_TOO_DEEP',
  ],
  'a hundred inline fragments within each other': [
    `{ ${nested(400, '... { ', 'stores { nodes { id } }')} }`,
    'QUERY_TOO_DEEP',
  ],
  'thousands of aliases': [`{ ${times(3000, at => `a${at}: __typename`)} }`, 'TOO_MANY_ALIASES'],
  'aliases hidden in fragments': [
    `{ stores(first: 1) { nodes { ...A ...B } } } fragment A on Store { ${times(60, at => `a${at}: id`)} } fragment B on Store { ${times(60, at => `b${at}: id`)} }`,
    'TOO_MANY_ALIASES',
  ],
  'a hundred root fields': [
    `{ ${times(99, at => `a${at}: stores(first: 1) { nodes { id } }`)} }`,
    'TOO_MANY_ROOT_FIELDS',
  ],
  'a hundred writes': [
    `mutation { ${times(99, at => `a${at}: replaceMenuConfiguration(input: { storeId: "s", items: [] }) { store { menuRevision } }`)} }`,
    'TOO_MANY_ROOT_FIELDS',
  ],
  'root fields hidden in fragments': [
    `{ ...A } fragment A on Query { ${times(30, () => '...B')} } fragment B on Query { stores { nodes { id } } merchants { nodes { id } } }`,
    'TOO_MANY_ROOT_FIELDS',
  ],
  'a field repeated without end': [`{ store(id: "s") { ${'id '.repeat(14_000)} } }`, 'QUERY_TOO_LONG'],
  'a flood of directives': [`{ stores ${'@skip(if: false) '.repeat(2000)} { nodes { id } } }`, 'TOO_MANY_DIRECTIVES'],
  'a fragment that doubles thirty times, level by level': [
    `{ store(id: "s") { ...F0 } } ${times(30, at => `fragment F${at} on Store { a: merchant { stores { nodes { ...F${at + 1} } } } b: merchant { stores { nodes { ...F${at + 1} } } } }`)} fragment F30 on Store { id }`,
    'QUERY_TOO_COMPLEX',
  ],
  'a fragment that doubles thirty times at one level': [
    `{ store(id: "s") { ...F0 } } ${times(30, at => `fragment F${at} on Store { ...F${at + 1} ...F${at + 1} }`)} fragment F30 on Store { merchant { id } }`,
    'QUERY_TOO_COMPLEX',
  ],
  'the trees of a thousand stores': [`{ stores(first: 1000) { nodes { ${tree} } } }`, 'QUERY_TOO_COMPLEX'],
  'a thousand by a variable': [
    `query ($n: Int!) { stores(first: $n) { nodes { ${tree} } } }`,
    'QUERY_TOO_COMPLEX',
    { n: 1000 },
  ],
  'a thousand by the default of a variable': [
    `query ($n: Int! = 1000) { stores(first: $n) { nodes { ${tree} } } }`,
    'QUERY_TOO_COMPLEX',
  ],
  'more than there are numbers, by a variable': [
    'query ($n: Int!) { stores(first: $n) { nodes { id } } }',
    'QUERY_TOO_COMPLEX',
    { n: Number.POSITIVE_INFINITY },
  ],
  'the configurations of a thousand stores': [
    '{ stores(first: 1000) { nodes { menus { id } } } }',
    'QUERY_TOO_COMPLEX',
  ],
  'five hundred orders of each of a thousand stores': [
    '{ stores(first: 1000) { nodes { orders(first: 500) { nodes { customer { name } } } } } }',
    'QUERY_TOO_COMPLEX',
  ],
  'a hundred searches of each of a thousand stores': [
    `{ stores(first: 1000) { nodes { ${times(99, at => `a${at}: orders(filter: { customerName: "${at}" }) { totalCount }`)} } } }`,
    'QUERY_TOO_COMPLEX',
  ],
  'stores of merchants of stores': [
    '{ merchants(first: 1000) { nodes { stores(first: 1000) { nodes { id } } } } }',
    'QUERY_TOO_COMPLEX',
  ],
  'items of groups of items': [
    `{ store(id: "s") { items { ${nested(2, 'modifierGroups { usedByItems { ', 'id')} } } }`,
    'QUERY_TOO_COMPLEX',
  ],
  'a cyclic walk from one item': [`{ store(id: "s") { item(externalId: "i") { ${walk(3)} } } }`, 'QUERY_TOO_COMPLEX'],
  'a text ninety times': [
    `{ stores { nodes { menus { categories { items { name { ${times(90, at => `a${at}: text`)} } } } } } } }`,
    'QUERY_TOO_COMPLEX',
  ],
  'a walk through the schema': [
    `{ __schema { types { ${nested(5, 'fields { type { ', 'name')} } } }`,
    'QUERY_TOO_COMPLEX',
  ],
  'a schema without end': [`{ __schema { types { ${nested(30, 'ofType { ', 'name')} } } }`, 'QUERY_TOO_DEEP'],
  'a type without end': [`{ __type(name: "Store") { ${nested(30, 'ofType { ', 'name')} } }`, 'QUERY_TOO_DEEP'],
  'the schema forty times': [
    getIntrospectionQuery().replace('{', `{ ${times(40, at => `a${at}: __schema { types { ...FullType } }`)}`),
    'QUERY_TOO_COMPLEX',
  ],
};

describe('Rejected before execution', () => {
  test.each(Object.entries(attacks))('%s', (_what, [text, code, variables = {}]) => {
    const document = parse(text, { maxTokens: 15_000 });
    const { errors } = checkLimits(document, undefined, variables);
    expect(errors.map(error => error.extensions.code)).toContain(code);
    for (const { message } of errors) expect(message.length).toBeLessThan(1000);
  });

  test('long names are truncated in messages', () => {
    const name = 'a'.repeat(100_000);
    const { errors } = checkLimits(parse(`{ store(id: "s") { ${nested(20, `${name} { `, 'id')} } }`), undefined, {});
    for (const { message } of errors) expect(message.length).toBeLessThan(1000);
  });
});

describe('An invalid document', () => {
  test.each([
    [
      'fragments in a circle',
      '{ ...A } fragment A on Query { stores { nodes { id } } ...B } fragment B on Query { ...A }',
    ],
    ['a fragment that spreads itself below', '{ ...A } fragment A on Query { store(id: "s") { merchant { ...A } } }'],
    ['an unknown fragment, type and field', '{ ...Nothing ... on Nowhere { a } b { constructor { __proto__ } } }'],
    ['a mutation of fields that are not there', 'mutation { toString { valueOf } }'],
    ['a subscription, which there is none of', 'subscription { stores { nodes { id } } }'],
    ['no operation', 'fragment A on Query { stores { nodes { id } } }'],
    ['a definition of a type', 'type A { a: Int }'],
    ['introspection in a wrong place', '{ store(id: "s") { __schema { types { name } } } }'],
  ])('%s: passes the limits, and is left for validation to reject', (_what, text) => {
    expect(checkLimits(parse(text), undefined, {}).errors).toEqual([]);
  });

  test('variable names are not looked up on Object.prototype', () => {
    const text =
      'query ($constructor: Int!, $__proto__: Int!) { stores(first: $constructor) { nodes { id } } merchants(first: $__proto__) { nodes { id } } }';
    expect(checkLimits(parse(text), undefined, {}).cost).toBe(202);
  });
});

test('The check takes time linear in the length of the document', () => {
  const bomb = (levels: number) =>
    parse(
      `{ store(id: "s") { ...F0 } } ${times(levels, at => `fragment F${at} on Store { a: merchant { id stores(first: 1) { nodes { ...F${at + 1} ...F${at + 1} } } } ...F${at + 1} }`)} fragment F${levels} on Store { id }`,
    );
  const small = cpuOf(bomb(15));
  const large = cpuOf(bomb(120));
  expect(large).toBeLessThan(small * 8 * 5);
});

/** Returns the CPU time of the fastest of several runs, in microseconds, since other processes share the machine. */
function cpuOf(document: DocumentNode): number {
  const runs = Array.from({ length: 10 }, () => {
    const before = process.cpuUsage();
    for (let round = 0; round < 5; round++) checkLimits(document, undefined, {});
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.max(1, Math.min(...runs));
}
