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
  { text: `{ stores(limit: 1) { nodes { ${nested(200, 'merchant { stores(limit: 1) { nodes { ', 'id')} } } }` },
  { text: `{ ${'__typename '.repeat(14_000)} }` },
  { text: `{ ${'x '.repeat(200_000)} }` },
  { text: `{ ${times(4000, at => `a${at}: __typename`)} }` },
  { text: `{ ${times(900, at => `a${at}: stores { nodes { id } }`)} }` },
  { text: `{ ${'stores { nodes { id } } '.repeat(3500)} }` },
  { text: `{ stores ${'@skip(if: true) '.repeat(2000)} { nodes { id } } }` },
  { text: `{ stores ${'@x '.repeat(7000)} { nodes { id } } }` },
  { text: `{ stores(limit: 1) { nodes { ...F0 } } } ${fragments(30, next => `...${next} ...${next}`)}` },
  {
    text: `{ stores(limit: 1) { nodes { ...F0 } } } ${fragments(30, next => `a: merchant { stores { nodes { ...${next} } } } b: merchant { stores { nodes { ...${next} } } }`)}`,
  },
  { text: `{ stores(limit: 1) { nodes { ...F0 } } } ${fragments(1000, next => `id ...${next}`)}` },
  { text: '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }' },
  { text: `{ stores(limit: 1000) { nodes { ${tree} a: ${tree} b: ${tree} } } }` },
  { text: `query ($n: Int!) { stores(limit: $n) { nodes { ${tree} } } }`, variables: { n: 1000 } },
  { text: `{ store(id: "${storeId}") { ${tree} a: ${tree} b: ${tree} c: ${tree} d: ${tree} e: ${tree} f: ${tree} } }` },
  { text: `{ store(id: "${storeId}") { items { ${nested(4, 'modifierGroups { items { ', 'id')} } } }` },
  {
    text: `{ store(id: "${storeId}") { items { ${nested(3, 'modifierItems { groups { items { ', 'id name { text }')} } } }`,
  },
  {
    text: `{ store(id: "${storeId}") { items { ${nested(4, 'modifierGroups { modifierItems { menuItem { ', 'id')} } } }`,
  },
  { text: `{ store(id: "${storeId}") { items { ${nested(20, 'store { items { ', 'id')} } } }` },
  { text: `{ stores { nodes { items { ${nested(4, 'modifierGroups { items { ', 'id')} } } } }` },
  { text: `{ stores { nodes { items { ${nested(4, 'modifierItems { groups { items { ', 'id')} } } } }` },
  { text: `{ stores { nodes { categories { ${nested(5, 'menus { categories { ', 'id')} } } } }` },
  { text: `{ merchants(limit: 1000) { nodes { ${nested(5, 'stores(limit: 1000) { nodes { merchant { ', 'id')} } } }` },
  {
    text: `{ stores(limit: 1000) { nodes { ${times(99, at => `a${at}: orders(filter: { customerName: "${at}" }) { count }`)} } } }`,
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
