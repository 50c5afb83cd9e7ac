import { describe, expect, test } from 'vitest';
import { faultsOf } from '../support/contract.ts';

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
    'The body cannot lie in the list "shops".',
  ],
  [
    'a field beside the way to the body',
    `query a ${route} { shop { id owner @body { name } } }`,
    'This is neither the @body nor on the way to it, and no @etag.',
  ],
  [
    'an @etag that is no whole number',
    `query a ${route} { shop { label @etag id } }`,
    'An @etag is a whole number that is always there; "label" is String!.',
  ],
  ['an @etag in a list', `query a ${route} { shops { revision @etag id } }`, 'An @etag cannot lie in a list.'],
  [
    'an @etag deep within the body',
    `query a ${route} { shop { id owner { name revision @etag } } }`,
    'An @etag cannot lie deep within the body.',
  ],
  [
    'an @etag in a fragment',
    `query a ${route} { shop { ...Shop } } fragment Shop on Shop { id revision @etag }`,
    '@body and @etag belong in the operation itself, not in a fragment.',
  ],
  [
    'an @ifMatch that is no whole number',
    `query a($id: ID @ifMatch(tagsOf: ["a"])) ${route} { shop(id: $id) { revision @etag id } }`,
    'An @ifMatch is a whole number that may be absent; $id is ID.',
  ],
  [
    'an @ifMatch for an operation without tags',
    `query a($at: SafeInt @ifMatch(tagsOf: ["a"])) ${route} { shop(at: $at) { id } }`,
    '@ifMatch names "a", which is no operation with an @etag.',
  ],
  [
    'a field without its alias',
    `query a ${route} { shops { nickName } }`,
    '"nickName" is not in snake_case; give the field an alias.',
  ],
  [
    'a field that is there twice',
    `query a ${route} { shops { id ...Shop } } fragment Shop on Shop { id }`,
    'AResponse has a second field "id".',
  ],
  [
    'a type with the name of another',
    `query a ${route} { shops { ...Colour } } fragment Colour on Shop { id }`,
    'A second type would be named Colour.',
  ],
  [
    'a default for what is never null',
    `query a ${route} { shops { label @default(value: "") } }`,
    'A @default stands for null, and this field is never null.',
  ],
  [
    'constants in a list',
    'query a @route(path: "/shops", constants: [{ name: "code", value: "0" }]) { shops { id } }',
    'Constants need a body that is an object; this one is a list.',
  ],
  [
    'a constant that is a field too',
    'query a @route(path: "/shops", constants: [{ name: "id", value: "0" }]) { shop { id } }',
    'The constant "id" is a field of the body too.',
  ],
  [
    'a constant before nothing',
    'query a @route(path: "/shops", constants: [{ name: "code", value: "0", before: "size" }]) { shop { id } }',
    'The constant "code" is to stand before "size", which is not in the body.',
  ],
  [
    'a documented name for an input that is not in the graph',
    `query a ${route} { shops { id } } extend input Brush @documented(as: "BrushRequest")`,
    'The graph has no input type "Brush".',
  ],
  [
    'a documented name for an input that nobody takes',
    `query a ${route} { shops { id } } extend input Paint @documented(as: "PaintRequest")`,
    'No operation takes a Paint.',
  ],
  [
    'one name for an input and a body that are not alike',
    `mutation a($id: ID!, $input: ShopInput) @route(method: POST, path: "/shops/{id}") { paint(id: $id, input: $input) { ...Shop } }
     query b ${route} { shops { ...Shop } }
     fragment Shop on Shop { id } extend input ShopInput @documented(as: "Shop")`,
    "ShopInput is not alike to the body's type Shop, whose name it is given.",
    4,
  ],
];

describe('refused', () => {
  test.each(bodies)('%s', (_name, text, error, line = 2) => {
    expect(faultsOf(`\n${text}`)).toContain(`shops.graphql:${line}: ${error}`);
  });
});
