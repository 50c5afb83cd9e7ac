import { readFileSync } from 'node:fs';
import { assertObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { loadOperations } from '../../src/server/operations.ts';
import { buildGraph } from '../support/graph.ts';
import { exampleSet, writeSet } from '../support/operations.ts';

const { graphqlLimits } = readConfig({});

/** The errors at the start with these folders, one a line, without the folder of the set. */
function errorsOf(...operations: readonly string[]): string[] {
  try {
    loadOperations(buildGraph(), { operations, graphqlLimits });
    return [];
  } catch (error) {
    const parents = operations.map(folder => folder.slice(0, folder.lastIndexOf('/') + 1));
    const [, ...lines] = parents.reduce((text, parent) => text.replaceAll(parent, ''), String(error)).split('\n');
    return lines.map(line => line.trim());
  }
}

test('the example has no errors', () => {
  expect(errorsOf(exampleSet)).toEqual([]);
});

const mistakes = `
query reservedPath($id: ID!) @route(path: "/graphql/stores/{id}") { store(id: $id) { id } }
query parameterFirst($id: ID!) @route(path: "/{id}/stores") { store(id: $id) { id } }
query unknownField($id: ID!) @route(path: "/shop/a/{id}") { store(id: $id) { postcode } }
query noRoute { stores { totalCount } }
query takenPath($id: ID!) @route(path: "/shop/a/{id}") { store(id: $id) { id } }
query otherSlash($no: ID!) @route(method: POST, path: "/shop/a/{no}/") { store(id: $no) { id } }
query notInPath @route(path: "/shop/b/{id}") { stores { totalCount } }
query twoRoots @route(path: "/shop/c") { stores { totalCount } merchants { totalCount } }
query unusedVariable($id: ID) @route(path: "/shop/d") { stores { totalCount } }
query notCarried($filter: OrderFilter, $id: ID!) @route(path: "/shop/e/{id}") {
  store(id: $id) { orders(filter: $filter) { totalCount } }
}
query ownHeader($id: ID! @header(name: "Authorization")) @route(path: "/shop/f") { store(id: $id) { id } }
query etagAndHeader($id: ID! @header(name: "X-Store")) @route(path: "/shop/g") {
  store(id: $id) { menuRevision @etag menus @body { id } }
}
subscription events @route(path: "/shop/h") { storeEvents { cursor } }
mutation writingGet($ids: [ID!]!) @route(method: GET, path: "/shop/i") { markOrders(input: { orderIds: $ids }) { orders { id } } }`;

test('every mistake in a set is reported with its file, line and remedy', () => {
  const broken = writeSet('shop', {
    'a.graphql': mistakes,
    'b.graphql': 'query broken {',
    'derived.graphql': 'this file is not read',
  });
  expect(errorsOf(broken)).toEqual(['shop/b.graphql:1: Syntax Error: Expected Name, found <EOF>.']);
  const shop = writeSet('shop', { 'a.graphql': mistakes });
  const costly = writeSet('costly', {
    'c.graphql': `
query unbounded($limit: Int) @route(path: "/costly/a") { stores(limit: $limit) { nodes { id } } }
query tooCostly($limit: Int @range(max: 1000)) @route(path: "/costly/b") {
  stores(limit: $limit) { nodes { items { id modifierGroups { id } } } }
}
query getStore($id: ID!) @route(path: "/costly/c/{id}") { store(id: $id) { id } }`,
  });
  expect(errorsOf(shop, costly)).toMatchInlineSnapshot(`
    [
      "shop/a.graphql:2: "/graphql" is reserved for the service; begin with a name of your own, such as "/shop/graphql/stores/{id}".",
      "shop/a.graphql:3: "/{id}/stores" begins with a parameter; begin with a name of your own, such as "/shop/{id}/stores".",
      "shop/a.graphql:4: Cannot query field "postcode" on type "Store". Did you mean "postalCode"?",
      "shop/a.graphql:5: The operation has no @route; add one such as @route(path: "/shop/stores").",
      "shop/a.graphql:6: GET /shop/a/{id} is already the route of unknownField.",
      "shop/a.graphql:7: The path /shop/a/{no}/ differs from /shop/a/{id} of unknownField by a slash or a parameter's name; write it in the same way.",
      "shop/a.graphql:8: {id} in the path is not a variable of the operation; add ($id: ID!).",
      "shop/a.graphql:9: A route needs exactly one root field; twoRoots selects something else. Write one operation for each.",
      "shop/a.graphql:10: Variable "$id" is never used in operation "unusedVariable".",
      "shop/a.graphql:11: $filter is an input object, so it must be in the body: add method: POST, or use variables for its fields.",
      "shop/a.graphql:14: $id cannot come from the header "Authorization"; choose a name such as Idempotency-Key.",
      "shop/a.graphql:15: A header changes the body, but not the value of @etag; leave out one of them.",
      "shop/a.graphql:18: A subscription cannot be a route.",
      "shop/a.graphql:18: Directive "@route" may not be used on SUBSCRIPTION.",
      "shop/a.graphql:19: A mutation cannot be GET, which never writes; leave out the method, for POST.",
      "costly/c.graphql:2: "limit" says how much is loaded, so its variable needs @range(max:), e.g. @range(min: 1, max: 100).",
      "costly/c.graphql:3: tooCostly may cost 2,601,001 objects; at most 1,000,000 are allowed. Select less, or lower the max of @range.",
      "costly/c.graphql:6: The set v1 has an operation getStore; rename this one.",
    ]
  `);
});

const shapes = `
input Part { code: ID! @to(path: "externalId") stock: Boolean! @to(path: "inStock") }
input Missing { parts: [MissingPart!]! @to(path: "items") }
input MissingPart { code: ID! @to(path: "externalId") }
mutation missing($s: ID!, $items: [StockInput!]!) @route(path: "/shape/a/{s}", body: "Missing") { setStock(input: { storeId: $s, items: $items }) { revision } }
input Optional { parts: [Part!] @to(path: "items") }
mutation optional($s: ID!, $items: [StockInput!]!) @route(path: "/shape/b/{s}", body: "Optional") { setStock(input: { storeId: $s, items: $items }) { revision } }
input Unknown { items: [UnknownPart!]! list: String }
input UnknownPart { code: ID! @to(path: "externalIdd") stock: Boolean! @to(path: "inStock") }
mutation unknown($s: ID!, $items: [StockInput!]!) @route(path: "/shape/c/{s}", body: "Unknown") { setStock(input: { storeId: $s, items: $items }) { revision } }
input Twice { items: [Part!]! again: [Part!]! @to(path: "items") }
mutation twice($s: ID!, $items: [StockInput!]!) @route(path: "/shape/d/{s}", body: "Twice") { setStock(input: { storeId: $s, items: $items }) { revision } }
input Kinds { items: [KindsPart!]! }
input KindsPart {
  code: [ID!]! @to(path: "externalId")
  stock: String! @to(path: "inStock")
  until: Float @decimal
}
mutation kinds($s: ID!, $items: [StockInput!]!) @route(path: "/shape/e/{s}", body: "Kinds") { setStock(input: { storeId: $s, items: $items }) { revision } }
input Values { items: [ValuesPart!]! }
input ValuesPart @constant(path: "externalId", value: 5) @constant(path: "nothing", value: 1) {
  stock: String! @to(path: "inStock") @values(map: [{ of: true, as: 1 }, { of: "no", as: 2 }])
}
mutation values($s: ID!, $items: [StockInput!]!) @route(path: "/shape/f/{s}", body: "Values") { setStock(input: { storeId: $s, items: $items }) { revision } }
input Only { items: Part! ids: [OnlyId!]! @to(path: "modifier_items") @only(field: "key") }
input OnlyId { code: ID! }
mutation only($s: ID!, $items: [StockInput!]!, $modifier_items: [StockInput!]) @route(path: "/shape/g/{s}", body: "Only") {
  setStock(input: { storeId: $s, items: $items, modifierItems: $modifier_items }) { revision }
}
input Beside { items: [Part!]! about: String @to(path: ".") deep: Boolean @to(path: "items.0") }
mutation beside($s: ID!, $items: [StockInput!]! = []) @route(path: "/shape/h/{s}", body: "Beside") { setStock(input: { storeId: $s, items: $items }) { revision } }
mutation nobody($s: ID!, $items: [StockInput!]!) @route(path: "/shape/i/{s}", body: "Nobody") { setStock(input: { storeId: $s, items: $items }) { revision } }
query got($s: ID!) @route(path: "/shape/j/{s}", body: "Missing") { store(id: $s) { id } }
input Loose { items: [Part!]! }
mutation loose($s: ID!, $items: [StockInput!]!, $more: [StockInput!]) @route(path: "/shape/k/{s}", body: "Loose") {
  setStock(input: { storeId: $s, items: $items, modifierItems: $more }) { revision }
}
input Sample { items: [Part!]! @example(value: [{ code: 1 }]) }
mutation sample($s: ID!, $items: [StockInput!]!) @route(path: "/shape/l/{s}", body: "Sample") { setStock(input: { storeId: $s, items: $items }) { revision } }
query noEvent @webhook(events: []) { stores { totalCount } }
query oddEvent @webhook(events: [ORDER_EATEN]) { stores { totalCount } }
query noOrder($order_id: ID!) @webhook(events: [MENU_CHANGED]) { order(id: $order_id) { id } }
query oddVariable($event: Int!) @webhook(events: [MENU_CHANGED]) { stores(first: $event) { totalCount } }
query bothWays @webhook(events: [MENU_CHANGED]) @route(path: "/shape/m") @tool { stores { totalCount } }
query twiceTheSame @webhook(events: [MENU_CHANGED, MENU_CHANGED]) { stores { totalCount } }
query tagged($storeId: ID! @header(name: "X-S")) @webhook(events: [MENU_CHANGED]) { store(id: $storeId) { menuRevision @etag id } }`;

test('every mistake in the shape of a body and in a message is reported with its file, line and remedy', () => {
  expect(errorsOf(writeSet('shape', { 'a.graphql': shapes }))).toMatchInlineSnapshot();
  const types = `
input StockInput { a: ID }
type Other { a: ID }
mutation ok($s: ID!) @route(path: "/shape/a/{s}") { setStock(input: { storeId: $s }) { revision } }`;
  expect(errorsOf(writeSet('shape', { 'a.graphql': types }))).toMatchInlineSnapshot();
  const forbidden = 'query admins @webhook(events: [MENU_CHANGED]) { apiKeys { totalCount } }';
  expect(errorsOf(writeSet('shape', { 'a.graphql': forbidden }))).toMatchInlineSnapshot();
  const outputs = `
query same($s: ID!) @route(path: "/shape/o/{s}") { order(id: $s) { id name: id @at(path: "id.name") } }
query mapped($s: ID!) @route(path: "/shape/n/{s}") {
  order(id: $s) {
    status @values(map: [{ of: PENDING, as: "new" }, { of: EATEN, as: 1 }])
    id @decimal(digits: 9)
    price @at(path: "a..b")
    customer @only(field: "phone") { name }
    isRead @values(map: [{ of: true, as: "Y" }]) @decimal
  }
}
query partly($s: ID!) @route(path: "/shape/p/{s}") { order(id: $s) { status @values(map: [{ of: PENDING, as: "new" }]) tax @decimal(digits: 9) customer @only(field: "x") { name } } }`;
  expect(errorsOf(writeSet('shape', { 'a.graphql': outputs }))).toMatchInlineSnapshot();
});

test('the guide has every revision of a store and an order that can be an ETag, and every mutation that takes one', () => {
  const guide = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## ETags$(.*?)^## /ms.exec(guide) ?? [];
  const graph = buildGraph();
  const revisions = ['Store', 'Order'].flatMap(type => {
    const fields = Object.values(assertObjectType(graph.getType(type)).getFields());
    const found = fields.filter(field => /revision/i.test(field.name) && /^(Safe)?Int!$/.test(`${field.type}`));
    return found.map(({ name }) => `${type}.${name}`);
  });
  expect([...section.matchAll(/^\| `((?:Store|Order)\.\w+)`/gm)].map(([, name]) => name)).toEqual(revisions);
  const writes = Object.values(graph.getMutationType()?.getFields() ?? {});
  const conditional = writes.filter(({ args }) => args.some(({ name }) => name === 'expectedRevision'));
  for (const { name } of conditional) expect(section).toContain(`\`${name}\``);
});

test('every folder that is no set is reported', () => {
  const [v1, pos, spaced, empty] = ['v1', 'pos', 'my shop', 'empty'].map(name => writeSet(name, {}));
  const file = writeSet('twice', { 'a.graphql': 'query a @route(path: "/a") { stores { totalCount } }' });
  const again = writeSet('twice', {});
  expect(errorsOf(`${v1}`, `${pos}`, `${spaced}`, `${empty}`, file, again, '/nowhere/shop')).toEqual([
    'v1 has the name of a built-in set, v1; rename the folder',
    'pos has the name of a built-in set, pos; rename the folder',
    'my shop is no name of a set; rename the folder to letters, digits, "-" and "_", a letter first',
    'empty has no .graphql file; write an operation with @route',
    'twice has the name of another set, twice; rename one of the folders',
    expect.stringContaining('shop cannot be read; name a folder with .graphql files'),
  ]);
});

test('samples of unknown operations, and unknown fields beside them, are reported', () => {
  const operation = { 'a.graphql': 'query listShops @route(path: "/shop") { stores { totalCount } }' };
  const examples = `{
  "responses": {
    "listShops": { "totalCount": 1 },
    "listShop": { "totalCount": 1 }
  },
  "requests": {}
}`;
  expect(errorsOf(writeSet('shop', { ...operation, 'examples.json': examples }))).toEqual([
    'shop/examples.json:6: "requests" is not a field of this file; it has "responses" alone.',
    'shop/examples.json:4: There is no operation listShop, only listShops; rename or remove its sample.',
  ]);
  expect(errorsOf(writeSet('shop', { ...operation, 'examples.json': '{}' }))).toEqual([
    'shop/examples.json:1: The file has no object "responses" with a body for each operation; add it.',
  ]);
});

test('two sets cannot have one path', () => {
  const one = writeSet('one', {
    'a.graphql': 'query a($id: ID!) @route(path: "/shop/{id}") { store(id: $id) { id } }',
  });
  const two = writeSet('two', {
    'b.graphql': 'query b($no: ID!) @route(path: "/shop/{no}") { store(id: $no) { id } }',
  });
  expect(errorsOf(one, two)).toEqual([
    'two/b.graphql:1: GET /shop/{no} is already the route of a. It is in the set one.',
  ]);
});
