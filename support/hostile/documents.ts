import type { Random } from '../../src/demo/random.ts';

/** Short documents that would be expensive to execute. */
export interface Attack {
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

const nested = (levels: number, open: string, inside: string) =>
  open.repeat(levels) + inside + '}'.repeat(levels * (open.split('{').length - 1));

const fragments = (count: number, body: (next: string) => string) =>
  `${times(count, at => `fragment F${at} on Store { ${body(`F${at + 1}`)} }`)} fragment F${count} on Store { id }`;

const tree = 'menus { categories { items { name { text } modifierGroups { modifierItems { name { text } } } } } }';

/** For one store, and for all of them. */
export const attacksOn = (storeId: string): readonly Attack[] => [
  { text: `{ ${nested(3000, 'stores { ', 'id')} }` },
  { text: `{ ${nested(7000, 'a{', 'a')} }` },
  { text: `{ store(id: ${'['.repeat(7000)}${']'.repeat(7000)}) { id } }` },
  { text: `{ store(id: ${'{a:'.repeat(4000)}1${'}'.repeat(4000)}) { id } }` },
  { text: `query ($a: ${'['.repeat(6000)}Int${']'.repeat(6000)}) { stores { nodes { id } } }` },
  { text: `{ stores(first: 1) { nodes { ${nested(200, 'merchant { stores(first: 1) { nodes { ', 'id')} } } }` },
  { text: `{ ${'__typename '.repeat(14_000)} }` },
  { text: `{ ${'x '.repeat(200_000)} }` },
  { text: `{ ${times(4000, at => `a${at}: __typename`)} }` },
  { text: `{ ${times(900, at => `a${at}: stores { nodes { id } }`)} }` },
  { text: `{ ${'stores { nodes { id } } '.repeat(3500)} }` },
  { text: `{ stores ${'@skip(if: true) '.repeat(2000)} { nodes { id } } }` },
  { text: `{ stores ${'@x '.repeat(7000)} { nodes { id } } }` },
  { text: `{ stores(first: 1) { nodes { ...F0 } } } ${fragments(30, next => `...${next} ...${next}`)}` },
  {
    text: `{ stores(first: 1) { nodes { ...F0 } } } ${fragments(30, next => `a: merchant { stores { nodes { ...${next} } } } b: merchant { stores { nodes { ...${next} } } }`)}`,
  },
  { text: `{ stores(first: 1) { nodes { ...F0 } } } ${fragments(1000, next => `id ...${next}`)}` },
  { text: '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }' },
  { text: `{ stores(first: 1000) { nodes { ${tree} a: ${tree} b: ${tree} } } }` },
  { text: `query ($n: Int!) { stores(first: $n) { nodes { ${tree} } } }`, variables: { n: 1000 } },
  { text: `{ store(id: "${storeId}") { ${tree} a: ${tree} b: ${tree} c: ${tree} d: ${tree} e: ${tree} f: ${tree} } }` },
  { text: `{ store(id: "${storeId}") { items { ${nested(4, 'modifierGroups { usedByItems { ', 'id')} } } }` },
  {
    text: `{ store(id: "${storeId}") { items { ${nested(3, 'usedAsModifierItems { modifierGroups { usedByItems { ', 'id name { text }')} } } }`,
  },
  {
    text: `{ store(id: "${storeId}") { items { ${nested(4, 'modifierGroups { modifierItems { item { ', 'id')} } } }`,
  },
  { text: `{ store(id: "${storeId}") { items { ${nested(20, 'store { items { ', 'id')} } } }` },
  { text: `{ stores { nodes { items { ${nested(4, 'modifierGroups { usedByItems { ', 'id')} } } } }` },
  {
    text: `{ stores { nodes { items { ${nested(4, 'usedAsModifierItems { modifierGroups { usedByItems { ', 'id')} } } } }`,
  },
  { text: `{ stores { nodes { categories { ${nested(5, 'menus { categories { ', 'id')} } } } }` },
  { text: `{ merchants(first: 1000) { nodes { ${nested(5, 'stores(first: 1000) { nodes { merchant { ', 'id')} } } }` },
  {
    text: `{ stores(first: 1000) { nodes { ${times(99, at => `a${at}: orders(filter: { customerName: "${at}" }) { totalCount }`)} } } }`,
  },
  { text: `{ __schema { types { ${nested(8, 'fields { type { ', 'name')} } } }` },
  { text: `{ __schema { types { ${nested(2, 'fields { type { ', 'name')} } } }` },
  {
    text: `{ ${times(60, at => `a${at}: __schema { types { fields { args { type { ofType { ofType { name } } } } } } }`)} }`,
  },
  { text: `query (${times(2000, at => `$v${at}: Int`)}) { stores { nodes { id } } }` },
  { text: times(2000, at => `query Q${at} { stores { nodes { id } } }`) },
  { text: `{ store(id: "${'x'.repeat(1_000_000)}") { id } }` },
  { text: `{ ${'a'.repeat(1_000_000)} }` },
  { text: `#${'x'.repeat(5_000_000)}\n{ stores { nodes { id } } }` },
];

/** A document that is cheap to write and expensive to walk. */
export interface HostileDocument {
  readonly what: string;
  readonly text: string;
}

const chain = (levels: number, type: string, body: (next: string, at: number) => string, leaf = 'id') =>
  `${times(levels, at => `fragment F${at} on ${type} { ${body(`F${at + 1}`, at)} }`)} fragment F${levels} on ${type} { ${leaf} }`;

const around = (levels: number, [open, close]: readonly [string, string], inside = '') =>
  open.repeat(levels) + inside + close.repeat(levels);

/**
 * Documents that exceed a limit of documents wherever one is taken: at `/graphql`, in the preview of routes, in sets of operations and among trusted
 * documents. The sizes depend on the seed, and most are a few kilobytes long.
 */
export function documentsOverLimits(random: Random): readonly HostileDocument[] {
  const { between: some } = random;
  const query = (selection: string) => `query Q($id: ID!) { store(id: $id) { ${selection} } }`;
  const spread = query('id ...F0');
  const documents: Readonly<Record<string, string>> = {
    'fragments that spread the next one several times': `${spread} ${chain(some(9, 12), 'Store', next => `...${next} `.repeat(some(3, 6)))}`,
    'fragments that spread all later ones': `${spread} ${times(30, at => `fragment F${at} on Store { id ${times(29 - at, next => `...F${at + next + 1}`)} }`)}`,
    'objects by fragments, each several times': `${spread} ${chain(some(4, 5), 'Store', next => times(some(7, 9), at => `a${at}: merchant { stores(first: 0) { nodes { ...${next} } } }`))}`,
    'a fragment in many operations': `${times(some(150, 200), at => `query Q${at}($v: Int) { ...F0 }`)} ${chain(some(200, 250), 'Query', next => `stores(first: $v) { totalCount } ...${next}`, '__typename')}`,
    'a long chain of fragments': `${spread} ${chain(some(310, 490), 'Store', next => `timezone ...${next}`)}`,
    'thousands of spreads': `${query('...F '.repeat(some(501, 7_000)))} fragment F on Store { id }`,
    'nested fields': query(around(some(301, 20_000), ['a { ', '} '], 'a')),
    'nested inline fragments': query(around(some(301, 2_900), ['... { ', '} '], 'id')),
    'nested inline fragments with a type': query(around(some(301, 2_500), ['... on Store { ', '} '], 'id')),
    'nested lists': `{ store(id: ${around(some(301, 40_000), ['[', ']'])}) { id } }`,
    'nested objects': `{ store(id: ${around(some(301, 20_000), ['{a:', '}'], '1')}) { id } }`,
    'a nested type': `query Q($id: ${around(some(301, 40_000), ['[', ']'], 'ID')}) { store(id: $id) { id } }`,
    'a nested default': `query Q($id: ID = ${around(some(301, 40_000), ['[', ']'])}) { store(id: $id) { id } }`,
    'a nested argument of a directive': query(`id @skip(if: ${around(some(301, 40_000), ['[', ']'])})`),
    'a wide default': `query Q($id: [ID!] = [${'1 '.repeat(some(15_000, 40_000))}]) { store(id: $id) { id } }`,
    'a wide selection': query('city '.repeat(some(501, 14_000))),
    'a wide selection of objects': query(times(some(101, 660), () => 'merchant { id brandName }')),
    'many aliases': query(times(some(2_001, 4_500), at => `a${at}: timezone`)),
    'many directives': query(`timezone ${'@skip(if: false) '.repeat(some(11, 2_000))}`),
    'many literals': query(`orders(filter: { statuses: [${'READY '.repeat(some(101, 9_000))}] }) { totalCount }`),
    'many operations': times(some(501, 1_800), at => `query Q${at} { stores { totalCount } }`),
    'many variables': `query Q(${times(some(4_000, 8_000), at => `$v${at}: ID!`)}) { store(id: $v0) { id } }`,
    'a long name': query(
      `${'a'.repeat(some(201, 90_000))}: merchant { ${times(90, at => `a${at}: stores { totalCount }`)} }`,
    ),
    'a long name of the operation': `query ${'Q'.repeat(some(201, 90_000))} { stores { totalCount } }`,
    'a long string': `{ store(id: "${'x'.repeat(some(100_000, 300_000))}") { id } }`,
    'long comments': `${'#\n'.repeat(some(50_000, 100_000))} { stores { totalCount } }`,
  };
  return Object.entries(documents).map(([what, text]) => ({ what, text }));
}
