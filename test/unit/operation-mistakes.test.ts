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
query unbounded($limit: Int) @route(path: "/costly/a") { stores(first: $limit) { nodes { id } } }
query tooCostly($limit: Int @range(max: 1000)) @route(path: "/costly/b") {
  stores(first: $limit) { nodes { items { id modifierGroups { id } } } }
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
      "costly/c.graphql:2: "first" says how much is loaded, so its variable needs @range(max:), e.g. @range(min: 1, max: 100).",
      "costly/c.graphql:3: tooCostly may cost 2,601,001 objects; at most 1,000,000 are allowed. Select less, or lower the max of @range.",
      "costly/c.graphql:6: The set v1 has an operation getStore; rename this one.",
    ]
  `);
});

const shapes = `
input Part { code: ID! @to(path: "externalId") stock: Boolean! @to(path: "inStock") }
input Missing { parts: [MissingPart!]! @to(path: "items") }
input MissingPart { code: ID! @to(path: "externalId") }
mutation missing($s: ID!, $items: [StockInput!]!) @route(path: "/shape/a/{s}", body: "Missing") { setStock(input: { storeId: $s, items: $items }) { store { menuRevision } } }
input Optional { parts: [Part!] @to(path: "items") }
mutation optional($s: ID!, $items: [StockInput!]!) @route(path: "/shape/b/{s}", body: "Optional") { setStock(input: { storeId: $s, items: $items }) { store { menuRevision } } }
input Unknown { items: [UnknownPart!]! list: String }
input UnknownPart { code: ID! @to(path: "externalIdd") stock: Boolean! @to(path: "inStock") }
mutation unknown($s: ID!, $items: [StockInput!]!) @route(path: "/shape/c/{s}", body: "Unknown") { setStock(input: { storeId: $s, items: $items }) { store { menuRevision } } }
input Twice { items: [Part!]! again: [Part!]! @to(path: "items") }
mutation twice($s: ID!, $items: [StockInput!]!) @route(path: "/shape/d/{s}", body: "Twice") { setStock(input: { storeId: $s, items: $items }) { store { menuRevision } } }
input Kinds { items: [KindsPart!]! }
input KindsPart {
  code: [ID!]! @to(path: "externalId")
  stock: String! @to(path: "inStock")
  until: Float @decimal
}
mutation kinds($s: ID!, $items: [StockInput!]!) @route(path: "/shape/e/{s}", body: "Kinds") { setStock(input: { storeId: $s, items: $items }) { store { menuRevision } } }
input Values { items: [ValuesPart!]! }
input ValuesPart @constant(path: "externalId", value: 5) @constant(path: "nothing", value: 1) {
  stock: String! @to(path: "inStock") @values(map: [{ of: true, as: 1 }, { of: "no", as: 2 }])
}
mutation values($s: ID!, $items: [StockInput!]!) @route(path: "/shape/f/{s}", body: "Values") { setStock(input: { storeId: $s, items: $items }) { store { menuRevision } } }
input Only { items: Part! ids: [OnlyId!]! @to(path: "modifier_items") @only(field: "key") }
input OnlyId { code: ID! }
mutation only($s: ID!, $items: [StockInput!]!, $modifier_items: [StockInput!]) @route(path: "/shape/g/{s}", body: "Only") {
  setStock(input: { storeId: $s, items: $items, modifierItems: $modifier_items }) { store { menuRevision } }
}
input Beside { items: [Part!]! about: String @to(path: ".") deep: Boolean @to(path: "items.0") }
mutation beside($s: ID!, $items: [StockInput!]! = []) @route(path: "/shape/h/{s}", body: "Beside") { setStock(input: { storeId: $s, items: $items }) { store { menuRevision } } }
mutation nobody($s: ID!, $items: [StockInput!]!) @route(path: "/shape/i/{s}", body: "Nobody") { setStock(input: { storeId: $s, items: $items }) { store { menuRevision } } }
query got($s: ID!) @route(path: "/shape/j/{s}", body: "Missing") { store(id: $s) { id } }
input Loose { items: [Part!]! }
mutation loose($s: ID!, $items: [StockInput!]!, $more: [StockInput!]) @route(path: "/shape/k/{s}", body: "Loose") {
  setStock(input: { storeId: $s, items: $items, modifierItems: $more }) { store { menuRevision } }
}
input Sample { items: [Part!]! @example(value: [{ code: 1 }]) }
mutation sample($s: ID!, $items: [StockInput!]!) @route(path: "/shape/l/{s}", body: "Sample") { setStock(input: { storeId: $s, items: $items }) { store { menuRevision } } }
query noEvent @webhook(events: []) { stores { totalCount } }
query oddEvent @webhook(events: [ORDER_EATEN]) { stores { totalCount } }
query noOrder($order_id: ID!) @webhook(events: [MENU_CHANGED]) { order(id: $order_id) { id } }
query oddVariable($event: Int!) @webhook(events: [MENU_CHANGED]) { stores(first: $event) { totalCount } }
query bothWays @webhook(events: [MENU_CHANGED]) @route(path: "/shape/m") @tool { stores { totalCount } }
query twiceTheSame @webhook(events: [MENU_CHANGED, MENU_CHANGED]) { stores { totalCount } }
query tagged($storeId: ID! @header(name: "X-S")) @webhook(events: [MENU_CHANGED]) { store(id: $storeId) { menuRevision @etag id } }`;

test('every mistake in the shape of a body and in a message is reported with its file, line and remedy', () => {
  expect(errorsOf(writeSet('shape', { 'a.graphql': shapes }))).toMatchInlineSnapshot(`
    [
      "shape/a.graphql:4: Nothing is mapped to "inStock", which StockInput requires; add a field with @to(path: "inStock"), or @constant.",
      "shape/a.graphql:6: "parts" is mapped to "items", which the operation requires; declare it as required, or give it a default.",
      "shape/a.graphql:9: UnknownPart.code goes to "externalIdd", which StockInput does not have. Did you mean "externalId"? Correct the path.",
      "shape/a.graphql:9: Nothing is mapped to "externalId", which StockInput requires; add a field with @to(path: "externalId"), or @constant.",
      "shape/a.graphql:8: Unknown.list goes to "list", which the operation does not have. Add @to(path: "…") with one of its fields, or @unused.",
      "shape/a.graphql:11: again and items both set "items"; remove one of them.",
      "shape/a.graphql:15: code is a list and the graph has String: no directive converts one to the other, so a program is needed in between.",
      "shape/a.graphql:16: stock is String and the graph has Boolean; declare it as Boolean, or add @values; otherwise no directive converts one to the other, so a program is needed in between.",
      "shape/a.graphql:17: @decimal is of an amount, which is an integer; the graph has DateTime.",
      "shape/a.graphql:21: The @constant externalId of ValuesPart is invalid: Input should be a valid string.",
      "shape/a.graphql:21: The @constant of ValuesPart goes to "nothing", which StockInput does not have. Correct the path.",
      "shape/a.graphql:22: @values maps to "no", which is no Boolean: Input should be a valid boolean.",
      "shape/a.graphql:22: The values of @values are Int; declare stock as that.",
      "shape/a.graphql:25: items is Part, and the graph has the list [StockInput!]: no directive converts one to the other, so a program is needed in between.",
      "shape/a.graphql:25: @only(field: "key"): OnlyId has no such field, only code.",
      "shape/a.graphql:31: $items is set by Beside; give the default to a field of that.",
      "shape/a.graphql:30: @to(path: ".") needs an object; Beside.about is String.",
      "shape/a.graphql:30: Beside.deep goes to "items.0", but "items" is a list: map a list of objects to it, or write a program.",
      "shape/a.graphql:32: There is no input type "Nobody" in this set; define it: input Nobody { … }.",
      "shape/a.graphql:33: GET has no body; add method: POST, or remove body: "Missing".",
      "shape/a.graphql:34: Nothing is mapped to $more; add a field with @to(path: "more"), or remove the variable.",
      "shape/a.graphql:38: The example of items.0.code is invalid: Input should be a valid string.",
      "shape/a.graphql:38: The example of items.0.stock is invalid: Field required.",
      "shape/a.graphql:40: @webhook needs at least one event; add one to \`events\`.",
      "shape/a.graphql:41: There is no event ORDER_EATEN, only ORDER_PLACED, ORDER_CHANGED, ORDERS_CHANGED, MENU_CHANGED, STOCK_CHANGED, STORE_CREATED, STORE_CHANGED, STORE_DELETED, ORDERING_CHANGED, HOURS_CHANGED.",
      "shape/a.graphql:42: MENU_CHANGED gives no $order_id, only $event, $storeId.",
      "shape/a.graphql:43: $event is an identifier that the event gives; declare it as ID!.",
      "shape/a.graphql:44: A message is no route; write an operation for each of both.",
      "shape/a.graphql:44: A message is no tool; remove @tool.",
      "shape/a.graphql:45: An event of @webhook occurs twice; remove one.",
      "shape/a.graphql:46: A message has no ETag; remove @etag.",
      "shape/a.graphql:46: $storeId is given by the event; remove @header.",
    ]
  `);
  const types = `
input StockInput { a: ID }
type Other { a: ID }
mutation ok($s: ID!) @route(path: "/shape/a/{s}") { setStock(input: { storeId: $s }) { store { menuRevision } } }`;
  expect(errorsOf(writeSet('shape', { 'a.graphql': types }))).toMatchInlineSnapshot(`
    [
      "shape/a.graphql:2: The graph has a type "StockInput"; rename this one.",
      "shape/a.graphql:3: A file of a set has operations, fragments, input types, "extend schema @interface" and "extend input … @documented" alone; remove this definition.",
    ]
  `);
  const forbidden = 'query admins @webhook(events: [MENU_CHANGED]) { apiKeys { totalCount } }';
  expect(errorsOf(writeSet('shape', { 'a.graphql': forbidden }))).toMatchInlineSnapshot(`[]`);
  const outputs = `
query same($s: ID!) @route(path: "/shape/o/{s}") { order(id: $s) { id name: id @at(path: "id.name") } }
query mapped($s: ID!) @route(path: "/shape/n/{s}") {
  order(id: $s) {
    status @values(map: [{ of: PENDING, as: "new" }, { of: EATEN, as: 1 }])
    id @decimal(digits: 9)
    createdAt @at(path: "a..b")
    customer @only(field: "phone") { name }
    isRead @values(map: [{ of: true, as: "Y" }]) @decimal
  }
}
query partly($s: ID!) @route(path: "/shape/p/{s}") { order(id: $s) { status @values(map: [{ of: PENDING, as: "new" }]) tax { amount @decimal(digits: 9) } customer @only(field: "x") { name } } }`;
  expect(errorsOf(writeSet('shape', { 'a.graphql': outputs }))).toMatchInlineSnapshot(`
    [
      "shape/a.graphql:2: "id" is a field and, by @at, an object of others; give one of them another path.",
      "shape/a.graphql:5: @values has nothing for CUSTOMER_CANCELLED, STORE_CANCELLED, ACCEPTED, REJECTED, READY, FULFILLED; add { of: CUSTOMER_CANCELLED, as: "…" }.",
      "shape/a.graphql:5: "EATEN" is not a value of OrderStatus, only PENDING, CUSTOMER_CANCELLED, STORE_CANCELLED, ACCEPTED, REJECTED, READY, FULFILLED.",
      "shape/a.graphql:5: The values of @values are strings, integers or booleans, all of one kind.",
      "shape/a.graphql:6: @decimal needs an amount, which is an integer; "id" is ID!.",
      "shape/a.graphql:6: The digits of @decimal are 0 to 6.",
      "shape/a.graphql:7: "a..b" is not a path such as "data.store_id": names of fields, separated by dots.",
      "shape/a.graphql:8: @only(field: "phone") needs an object with this field; "customer" has none. Select it, or correct the name.",
      "shape/a.graphql:9: A field has either @values or @decimal; remove one of them.",
      "shape/a.graphql:9: @decimal needs an amount, which is an integer; "isRead" is Boolean!.",
      "shape/a.graphql:12: @values has nothing for CUSTOMER_CANCELLED, STORE_CANCELLED, ACCEPTED, REJECTED, READY, FULFILLED; add { of: CUSTOMER_CANCELLED, as: "…" }.",
      "shape/a.graphql:12: The digits of @decimal are 0 to 6.",
      "shape/a.graphql:12: @only(field: "x") needs an object with this field; "customer" has none. Select it, or correct the name.",
    ]
  `);
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
  const operation = {
    'a.graphql': `query listShops @route(path: "/shop") { stores { totalCount } }
query getTicket($id: ID!) @route(path: "/shop/tickets/{id}", constants: [{ name: "version", value: "2" }]) {
  order(id: $id) { id serviceType state: isRead @values(map: [{ of: true, as: "Y" }, { of: false, as: "N" }]) note: customerComments }
}
query notifyShop($event: ID!) @webhook(events: [ORDER_PLACED]) { event(messageId: $event) { kind order { status } } }`,
  };
  const examples = `{
  "responses": {
    "listShops": { "totalCount": 1 },
    "listShop": { "totalCount": 1 },
    "getTicket": { "id": "1", "serviceType": "EAT_IN", "state": "yes", "comment": "", "version": "1" },
    "notifyShop": { "kind": "ORDER_EATEN", "order": {} }
  },
  "requests": {}
}`;
  expect(errorsOf(writeSet('shop', { ...operation, 'examples.json': examples }))).toEqual([
    'shop/examples.json:8: "requests" is not a field of this file; it has "responses" alone.',
    'shop/examples.json:4: There is no operation listShop, only listShops, getTicket, notifyShop; rename or remove its sample.',
    'shop/examples.json:5: The sample of getTicket is no body of it: getTicket.comment is not a field of it.',
    'shop/examples.json:5: The sample of getTicket is no body of it: getTicket.serviceType is no ServiceType.',
    'shop/examples.json:5: The sample of getTicket is no body of it: getTicket.state is "yes", not "Y" or "N".',
    'shop/examples.json:5: The sample of getTicket is no body of it: getTicket.version is "1", not "2".',
    'shop/examples.json:6: The sample of notifyShop is no body of it: notifyShop.kind is no EventKind.',
    'shop/examples.json:6: The sample of notifyShop is no body of it: notifyShop.order.status is missing.',
  ]);
  expect(errorsOf(writeSet('shop', { ...operation, 'examples.json': '{}' }))).toEqual([
    'shop/examples.json:1: The file has no object "responses" with a body for each operation; add it.',
  ]);
});

test('a message needs values for its events alone, which a route that shares its fragment does not', () => {
  const kind = (names: readonly string[]) =>
    `kind @values(map: [${names.map(name => `{ of: ${name}, as: "${name[6]}" }`).join(', ')}])`;
  const message = (selection: string) =>
    `query told($event: ID!) @webhook(events: [ORDER_PLACED, ORDER_CHANGED]) { event(messageId: $event) { ${selection} } }`;
  const of = (text: string) => errorsOf(writeSet('shop', { 'a.graphql': text }));
  expect(of(message(kind(['ORDER_PLACED', 'ORDER_CHANGED'])))).toEqual([]);
  expect(of(message(kind(['ORDER_PLACED'])))).toEqual([
    'shop/a.graphql:1: @values has nothing for ORDER_CHANGED; add { of: ORDER_CHANGED, as: "…" }.',
  ]);
  const menu = `query menu($event: ID!) @webhook(events: [MENU_CHANGED]) { event(messageId: $event) { ${kind(['MENU_CHANGED'])} } }`;
  expect(of([message(kind(['ORDER_PLACED', 'ORDER_CHANGED'])), menu].join('\n'))).toEqual([]);
  const others = `query others($store_id: ID!) @webhook(events: [ORDER_PLACED]) {
    store(id: $store_id) { events { events { ${kind(['ORDER_PLACED'])} } } }
  }`;
  expect(of(others)).toEqual([expect.stringContaining('@values has nothing for ORDER_CHANGED, ORDERS_CHANGED')]);
  const route = `query found($id: ID!) @route(path: "/shop/{id}") { store(id: $id) { events @body { events { ...Told } } } }`;
  const shared = `fragment Told on Event { ${kind(['ORDER_PLACED', 'ORDER_CHANGED'])} }`;
  expect(of([message('...Told'), route, shared].join('\n'))).toEqual([
    expect.stringContaining('@values has nothing for ORDERS_CHANGED'),
  ]);
});

test('a mistake in the values of a variable is reported', () => {
  const variables = [
    '$a: [OrderStatus!] @values(map: [{ of: READY, as: "a,b" }, { of: ACCEPTED, as: "ok" }])',
    '$b: OrderStatus! @values(map: [{ of: EATEN, as: "x" }, { of: READY, as: "x" }, { of: PENDING, as: 1 }])',
    '$c: OrderStatus = READY @values(map: [{ of: PENDING, as: "READY" }])',
    '$d: [OrderStatus!] = [PENDING] @values(map: [{ of: PENDING, as: "new" }]) @example(value: "PENDING")',
    '$e: OrderFilter @values(map: [{ of: READY, as: "x" }])',
    '$f: Int @range(min: 1, max: 2) @values(map: [{ of: 1, as: "one" }])',
    '$g: Boolean @values(map: [{ of: true, as: "" }, { of: 0, as: "N" }])',
  ];
  const text = `query find(
${variables.join('\n')}
$id: ID!
) @route(path: "/shop/{id}") {
  store(id: $id) {
    a: orders(filter: { statuses: $a, isCompleted: $g }, first: $f) { totalCount }
    b: orders(filter: { statuses: [$b, $c] }) { totalCount }
    c: orders(filter: { statuses: $d }) { totalCount }
    d: orders(filter: $e) { totalCount }
  }
}
input Move { to: String! }
mutation move($id: ID!, $to: OrderStatus! @values(map: [{ of: READY, as: "x" }])) @route(path: "/shop/move/{id}", body: "Move") {
  changeOrderStatus(input: { orderId: $id, to: $to }) { order { id } }
}
query told($event: ID! @values(map: [{ of: "a", as: "b" }])) @webhook(events: [ORDER_PLACED]) { event(messageId: $event) { at } }`;
  expect(errorsOf(writeSet('shop', { 'a.graphql': text }))).toMatchInlineSnapshot(`
    [
      "shop/a.graphql:2: @values has "a,b", which a list that is separated by commas cannot have; choose another.",
      "shop/a.graphql:3: The values of @values are strings, integers or booleans, all of one kind.",
      "shop/a.graphql:3: @values has a value twice; remove one.",
      "shop/a.graphql:3: @values maps to "EATEN", which is no OrderStatus: Input should be 'PENDING', 'CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'ACCEPTED', 'REJECTED', 'READY' or 'FULFILLED'.",
      "shop/a.graphql:4: @values has nothing for READY, the default; add { of: READY, as: "…" }.",
      "shop/a.graphql:5: The example of $d is invalid: Input should be 'new'.",
      "shop/a.graphql:6: $e is an input object, so it must be in the body: add method: POST, or use variables for its fields.",
      "shop/a.graphql:6: @values needs an enum, a boolean or a text; $e is OrderFilter.",
      "shop/a.graphql:7: $f has either @values or @range; remove one of them.",
      "shop/a.graphql:8: @values maps to 0, which is no Boolean: Input should be a valid boolean.",
      "shop/a.graphql:8: @values has "", which a value of the query cannot have; choose another.",
      "shop/a.graphql:19: $to is set by Move; give @values to a field of that.",
      "shop/a.graphql:22: $event is given by the event; remove @values.",
    ]
  `);
});

test('a route that can only be refused is reported', () => {
  const tokens = `query one($token: String!) @route(path: "/shop/{token}") { guestOrder(token: $token) { number } }
mutation two($token: String!) @route(path: "/shop/cancel") { cancelGuestOrder(input: { token: $token }) { guestOrder { number } } }`;
  expect(errorsOf(writeSet('shop', { 'a.graphql': tokens }))).toEqual([
    'shop/a.graphql:1: "guestOrder" takes a token of a guest, which routes refuse; send it to /graphql, by POST.',
    'shop/a.graphql:2: "cancelGuestOrder" takes a token of a guest, which routes refuse; send it to /graphql, by POST.',
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
