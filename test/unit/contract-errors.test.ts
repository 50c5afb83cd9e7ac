import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/contract.ts';

test('a valid contract has no errors', () => {
  expect(
    errorsOf('query getShop($id: ID!) @route(path: "/shops/{id}") { shop(id: $id) { id nick_name: nickName } }'),
  ).toEqual([]);
});

test('every error is reported at once, with its file and line', () => {
  const errors = errorsOf(
    `query getShop($id: ID!) @route(path: "/shops/{id}") {
  shop(id: $id) { id colour }
}`,
    {
      'owners.graphql': `
query { shops { id } }
query listShops @route(path: "/shops/{id}") { shops { nickName } }`,
    },
  );
  expect(errors).toEqual([
    'shops.graphql:2: Cannot query field "colour" on type "Shop".',
    'owners.graphql:2: This anonymous operation must be the only defined operation.',
    'owners.graphql:2: The operation has no name.',
    'owners.graphql:2: The operation has no @route; add one such as @route(path: "/shop/stores").',
    'owners.graphql:3: {id} in the path is not a variable of the operation; add ($id: ID!).',
    'owners.graphql:3: GET /shops/{id} is already the route of getShop.',
    'owners.graphql:3: "nickName" is not in snake_case; give the field an alias.',
  ]);
});

const route = '@route(path: "/shops")';
const byId = '@route(path: "/shops/{id}")';

type Case = readonly [name: string, text: string, error: string, line?: number];

const operations: readonly Case[] = [
  ['a syntax error', 'query {', 'Syntax Error: Expected Name, found <EOF>.'],
  [
    'a link to an unknown operation',
    `query a @route(path: "/shops", links: [{ operation: "b", parameter: "id", value: "$response.body#/0/id" }]) { shops { id } }`,
    'The link to "b" is unknown, or its path has no {id}.',
  ],
  ['an unnamed operation', `query ${route} { shops { id } }`, 'The operation has no name.'],
  [
    'an operation without a route',
    'query a { shops { id } }',
    'The operation has no @route; add one such as @route(path: "/shop/stores").',
  ],
  ['a subscription', 'subscription a { shop { id } }', 'A subscription cannot be a route.'],
  ['an unknown field', `query a ${route} { shops { postcode } }`, 'Cannot query field "postcode" on type "Shop".'],
  [
    'two root fields',
    `query a ${route} { shops { id } other: shops { id } }`,
    'A route needs exactly one root field; a selects something else. Write one operation for each.',
  ],
  [
    'a root fragment',
    `query a ${route} { ...Root } fragment Root on Query { shops { id } }`,
    'A route needs exactly one root field; a selects something else. Write one operation for each.',
  ],
  [
    'an inline fragment',
    `query a ${route} { shops { ... { id } } }`,
    'An inline fragment has no REST type; use a named fragment.',
  ],
  [
    'an abstract type',
    `query a ${route} { shops { sign { name } } }`,
    '"sign" is of the abstract type Named, which has no REST type.',
  ],
  [
    'a fragment on an abstract type',
    `query a ${route} { shops { ...Sign } } fragment Sign on Named { name }`,
    'The fragment is on the abstract type Named, which has no REST type.',
  ],
  [
    '@include',
    `query a ${route} { shops { id @include(if: true) } }`,
    '@include is not a directive of the REST contract.',
  ],
  ['@skip', `query a ${route} { shops { id @skip(if: false) } }`, '@skip is not a directive of the REST contract.'],
  ['an unknown directive', `query a ${route} { shops { id @live } }`, 'Unknown directive "@live".'],
  [
    'an unknown method',
    'query a @route(method: SEND, path: "/shops") { shops { id } }',
    'Value "SEND" does not exist in "RouteMethod" enum.',
  ],
  [
    'an invalid path',
    'query a @route(path: "shops") { shops { id } }',
    'The path "shops" does not begin with a slash; write "/shops".',
  ],
  [
    'a path that leads elsewhere',
    'query a @route(path: "/shops/../graphql") { shops { id } }',
    'The path "/shops/../graphql" has the segment "..", which clients resolve; remove it.',
  ],
  [
    'an ETag that is no hash',
    'query a @route(path: "/shops", etag: "0123456G") { shops { id } }',
    '"0123456G" are no eight hexadecimal digits, as `etag` needs.',
  ],
  [
    'a path with other characters',
    'query a @route(path: "/shops?all") { shops { id } }',
    '"/shops?all" is not a path such as "/shop/stores/{id}"; its segments are letters, digits, ".", "_" and "-", or a parameter in braces.',
  ],
  [
    'the route of an operation without a name',
    `query ${route} { shops { id } } query b ${route} { shops { id } }`,
    'GET /shops is already the route of an operation without a name.',
  ],
  [
    'a mutation by GET',
    'mutation a($id: ID!) @route(method: GET, path: "/shops/{id}") { paint(id: $id) { id } }',
    'A mutation cannot be GET, which never writes; leave out the method, for POST.',
  ],
  [
    'two operations on one route',
    `query a($id: ID!) ${byId} { shop(id: $id) { id } } query b($no: ID!) @route(path: "/shops/{no}") { shop(id: $no) { id } }`,
    'GET /shops/{no} is already the route of a.',
  ],
  [
    'a path parameter without a variable',
    `query a ${byId} { shops { id } }`,
    '{id} in the path is not a variable of the operation; add ($id: ID!).',
  ],
  [
    'a nullable path parameter',
    `query a($id: ID) ${byId} { shop(id: $id) { id } }`,
    '$id is in the path, so it must be required.',
  ],
  [
    'an input object in a query string',
    `query a($paint: Paint) ${route} { shop(paint: $paint) { id } }`,
    '$paint is an input object, so it must be in the body: add method: POST, or use variables for its fields.',
  ],
  [
    'a scalar without a reader',
    `query a($colour: Colour) ${route} { shop(colour: $colour) { id } }`,
    'There is no reader for the scalar Colour',
  ],
  [
    'a range of a variable that is not an integer',
    `query a($id: ID @range(min: 1)) ${route} { shop(id: $id) { id } }`,
    '@range needs an integer; $id is ID.',
  ],
  [
    'a default outside its range',
    `query a($page: Int = 0 @range(min: 1)) ${route} { shop(page: $page) { id } }`,
    'The default of $page is invalid: Input should be greater than or equal to 1.',
  ],
  [
    'an invalid example',
    `query a($page: Int @example(value: "many")) ${route} { shop(page: $page) { id } }`,
    'The example of $page is invalid: Input should be a valid integer, unable to parse string as an integer.',
  ],
];

const bodies: readonly Case[] = [
  [
    'a second @body',
    `query a ${route} { shop { owner @body { name } nick: owner @body { name } } }`,
    'There is a second @body in the operation.',
  ],
  [
    'a body in a list',
    `query a ${route} { shops { owner @body { name } } }`,
    'The @body cannot be in the list "shops".',
  ],
  [
    'a field beside the path to the body',
    `query a ${route} { shop { id owner @body { name } } }`,
    'This field is not on the path to @body or @etag.',
  ],
  [
    'an @etag that is not an integer',
    `query a ${route} { shop { label @etag id } }`,
    'An @etag must be a non-null integer; "label" is String!.',
  ],
  ['an @etag in a list', `query a ${route} { shops { revision @etag id } }`, 'An @etag cannot be in a list.'],
  [
    'an @etag deep within the body',
    `query a ${route} { shop { id owner { name revision @etag } } }`,
    'An @etag cannot be nested deeper than a field of the body.',
  ],
  [
    'an @etag in a fragment',
    `query a ${route} { shop { ...Shop } } fragment Shop on Shop { id revision @etag }`,
    '@body and @etag are not allowed in fragments.',
  ],
  [
    'an @ifReadable on the way to the body',
    `query a ${route} { shop { owner @body @ifReadable { name } revision @etag } }`,
    '@ifReadable is not allowed on the path to the body.',
  ],
  [
    'an @ifReadable without a field beside it',
    `query a ${route} { shop { id owner { name @ifReadable } } }`,
    'One of these fields must be without @ifReadable.',
  ],
  [
    'an @ifMatch that is not an integer',
    `query a($id: ID @ifMatch(etagsOf: ["a"])) ${route} { shop(id: $id) { revision @etag id } }`,
    '@ifMatch needs a nullable integer; $id is ID.',
  ],
  [
    'an @ifMatch for an operation without an ETag',
    `query a($at: SafeInt @ifMatch(etagsOf: ["a"])) ${route} { shop(at: $at) { id } }`,
    '@ifMatch refers to "a", which is not an operation with an @etag.',
  ],
  [
    'a camelCase field without an alias',
    `query a ${route} { shops { nickName } }`,
    '"nickName" is not in snake_case; give the field an alias.',
  ],
  [
    'a duplicate field',
    `query a ${route} { shops { id ...Shop } } fragment Shop on Shop { id }`,
    'AResponse already has a field "id".',
  ],
  [
    'a type with the name of another',
    `query a ${route} { shops { ...Colour } } fragment Colour on Shop { id }`,
    'There is another type named Colour; rename this one.',
  ],
  [
    'a default of a non-null field',
    `query a ${route} { shops { label @default(value: "") } }`,
    '@default replaces null, but this field is non-null.',
  ],
  [
    'a default of another type',
    `query a ${route} { shops { nick: nickName @default(value: ["none"]) } }`,
    'The value of @default is not of the type String: nick is no String.',
  ],
  [
    'a default that is no body of its type',
    `query a ${route} { shop { owner @default(value: { name: null, age: 3 }) { name } } }`,
    'The value of @default is not of the type AResponseOwner: owner.age is not a field of it.',
  ],
  [
    'a default that lacks a field',
    `query a ${route} { shop { owner @default(value: {}) { name revision } } }`,
    'The value of @default is not of the type AResponseOwner: owner.revision is missing.',
  ],
  [
    'constants in a list',
    'query a @route(path: "/shops", constants: [{ name: "code", value: "0" }]) { shops { id } }',
    'Constants need a body that is an object, not a list.',
  ],
  [
    'a constant with the name of a field',
    'query a @route(path: "/shops", constants: [{ name: "id", value: "0" }]) { shop { id } }',
    'The body already has a field "id".',
  ],
  [
    'a constant before an unknown field',
    'query a @route(path: "/shops", constants: [{ name: "code", value: "0", before: "size" }]) { shop { id } }',
    'The constant "code" has no field "size" to precede.',
  ],
  [
    'a documented name of an unknown input type',
    `query a ${route} { shops { id } } extend input Brush @documented(as: "BrushRequest")`,
    'The graph has no input type "Brush".',
  ],
  [
    'fields of an input type',
    `query a ${route} { shops { id } } extend input Paint { colour: String }`,
    'The fields of Paint are those of the graph; remove them here.',
  ],
  [
    'a type',
    `type Mine { id: ID! } query a ${route} { shops { id } }`,
    'A file of a set has operations, fragments, input types, "extend schema @interface" and "extend input … @documented" alone; remove this definition.',
  ],
  [
    'an @interface without a title',
    `query a ${route} { shops { id } } extend schema @interface(description: "", tags: [])`,
    'Directive "@interface" argument "title" of type "String!" is required, but it was not provided.',
  ],
  [
    'an @interface with a title of another type',
    `query a ${route} { shops { id } } extend schema @interface(title: 3, description: "", tags: [])`,
    'String cannot represent a non string value: 3',
  ],
  [
    'a documented name of an unused input type',
    `query a ${route} { shops { id } } extend input Paint @documented(as: "PaintRequest")`,
    'No operation takes a Paint.',
  ],
  [
    'one documented name for an input and an output type with other fields',
    `mutation a($id: ID!, $input: ShopInput) @route(method: POST, path: "/shops/{id}") { paint(id: $id, input: $input) { ...Shop } }
     query b ${route} { shops { ...Shop } }
     fragment Shop on Shop { id } extend input ShopInput @documented(as: "Shop")`,
    'ShopInput is documented as Shop but has other fields than that type.',
    4,
  ],
];

const day = 'is no day; write';
const deprecations: readonly Case[] = [
  ...['soon', '2027-02-29', '2027-13-01', '30.06.2027', '2027-06-30T00:00:00Z', ''].map(
    (date): Case => [
      `the sunset "${date}"`,
      `query a ${route} @deprecated(sunset: "${date}") { shops { id } }`,
      `"${date}" ${day} \`sunset\` of @deprecated as "2027-06-30".`,
    ],
  ),
  [
    'the sunset of a field',
    `query a ${route} { shops { id label @deprecated(sunset: "2027-6-30") } }`,
    `"2027-6-30" ${day} \`sunset\` of @deprecated as "2027-06-30".`,
  ],
  [
    'the sunset of a variable',
    'query a($page: Int @deprecated(since: "now")) @route(path: "/shops") { shop(page: $page) { id } }',
    `"now" ${day} \`since\` of @deprecated as "2027-06-30".`,
  ],
  [
    'the sunset of a field of an own body',
    `mutation a($id: ID!, $input: ShopInput) @route(path: "/shops/{id}", body: "Own") { paint(id: $id, input: $input) { id } }
     input Own { NAME: String! @to(path: "input.name") COAT: Int @unused @deprecated(sunset: "never") }`,
    `"never" ${day} \`sunset\` of @deprecated as "2027-06-30".`,
    3,
  ],
  [
    'a sunset before the deprecation',
    `query a ${route} @deprecated(since: "2027-07-01", sunset: "2027-06-30") { shops { id } }`,
    '@deprecated has the sunset 2027-06-30 before 2027-07-01.',
  ],
  [
    'a deprecation with a link to no address',
    `query a ${route} @deprecated(link: "moved") { shops { id } }`,
    '"moved" is no address; begin `link` with "https://".',
  ],
  [
    'a deprecated variable that is required',
    `query a($id: ID! @deprecated) ${byId} { shop(id: $id) { id } }`,
    '$id is required, so nobody can leave it out; make it nullable, or remove @deprecated.',
  ],
  [
    'a deprecated field that is not in the body',
    `query a ${route} { shop @deprecated { owner @body { name } } }`,
    'This field is not in the body; mark the operation as @deprecated, or fields of the body.',
  ],
];

describe('a contract is rejected for', () => {
  test.each([...operations, ...bodies, ...deprecations])('%s', (_name, text, error, line = 2) => {
    expect(errorsOf(`\n${text}`)).toContain(`shops.graphql:${line}: ${error}`);
  });
});

test('a second @interface is reported with the first', () => {
  const head = 'extend schema @interface(title: "Shops", description: "All shops.", tags: [])';
  expect(errorsOf(`query a ${route} { shops { id } }\n${head}`, { 'more.graphql': `\n${head}` })).toEqual([
    'more.graphql:2: A set has one @interface; remove one. (see shops.graphql:2)',
  ]);
});
