import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { checkCacheDirectives } from '../../src/execution/cacheable.ts';
import { loadSchema } from '../../src/graphql/schema.ts';

const directives = `
  directive @ofConfiguration(unless: [String!]! = [], dependsOn: [String!]! = []) on FIELD_DEFINITION
  directive @ofOrders on FIELD_DEFINITION
  directive @ofStore on FIELD_DEFINITION
  directive @uncached on FIELD_DEFINITION`;

test('every field of the graph that a cached response can contain says what it depends on', () => {
  expect(() => checkCacheDirectives(loadSchema())).not.toThrow();
});

test('a field that does not say it, or contradicts itself, is an error', () => {
  const schema = buildSchema(`${directives}
    type Query { store: Store other: Other }
    type Store {
      id: ID! @ofConfiguration @ofStore
      name: String
      menu: Menu @ofConfiguration
      orders: Int @ofOrders
      now: Int @uncached
    }
    type Menu { id: ID! @ofConfiguration @uncached text: Text @ofConfiguration }
    type Text { language: String }
    type Other { id: ID }`);
  expect(() => checkCacheDirectives(schema)).toThrow(
    'need either @uncached, or some of @ofConfiguration, @ofOrders and @ofStore: Store.name, Menu.id, Text.language',
  );
});
