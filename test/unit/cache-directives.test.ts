import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { checkCacheDirectives } from '../../src/execution/cacheable.ts';
import { buildGraph } from '../support/graph.ts';

const directives = `
  directive @ofConfiguration(unless: [String!]! = []) on FIELD_DEFINITION
  directive @notOfConfiguration on FIELD_DEFINITION`;

test('every field of the graph that a cached response can contain has one of the two directives', () => {
  expect(() => checkCacheDirectives(buildGraph())).not.toThrow();
});

test('a field with neither or both of the directives is an error', () => {
  const schema = buildSchema(`${directives}
    type Query { store: Store other: Other }
    type Store { id: ID! @ofConfiguration name: String menu: Menu @ofConfiguration orders: Int @notOfConfiguration }
    type Menu { id: ID! @ofConfiguration @notOfConfiguration text: Text @ofConfiguration }
    type Text { language: String }
    type Other { id: ID }`);
  expect(() => checkCacheDirectives(schema)).toThrow(
    'These fields need one of @ofConfiguration and @notOfConfiguration: Store.name, Menu.id, Text.language',
  );
});
