import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/contract.ts';

const route = '@route(path: "/shops")';

const bodies: readonly (readonly [name: string, text: string, error: string, line?: number])[] = [
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
    'There is another type named Colour.',
  ],
  [
    'a default of a non-null field',
    `query a ${route} { shops { label @default(value: "") } }`,
    '@default replaces null, but this field is non-null.',
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

describe('a contract is rejected for', () => {
  test.each(bodies)('%s', (_name, text, error, line = 2) => {
    expect(errorsOf(`\n${text}`)).toContain(`shops.graphql:${line}: ${error}`);
  });
});
