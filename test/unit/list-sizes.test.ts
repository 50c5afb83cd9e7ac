import {
  buildSchema,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
import { documentLimits } from '../../src/graphql/limits.ts';
import { buildGraph } from '../support/graph.ts';

/** Every field of every type of the graph. */
function fieldsOf(schema: GraphQLSchema) {
  return Object.values(schema.getTypeMap()).flatMap(type =>
    isObjectType(type) && !isIntrospectionType(type)
      ? Object.values(type.getFields()).map(field => ({ type, field }))
      : [],
  );
}

type Entry = ReturnType<typeof fieldsOf>[number];

const says = ({ field }: Entry, part: string) =>
  field.astNode?.directives?.some(
    directive =>
      directive.name.value === 'listSize' && directive.arguments?.some(argument => argument.name.value === part),
  ) ?? false;

/** Lists of which nothing tells how long they are. */
function unsized(schema: GraphQLSchema): string[] {
  const entries = fieldsOf(schema);
  return entries
    .filter(({ field }) => isListType(getNullableType(field.type)))
    .filter(entry => {
      const leading = entries.filter(({ field }) => getNamedType(field.type) === entry.type);
      const isSizedAbove = leading.length > 0 && leading.every(above => says(above, 'sizedFields'));
      return !says(entry, 'assumedSize') && !says(entry, 'slicingArguments') && !isSizedAbove;
    })
    .map(({ type, field }) => `${type.name}.${field.name}`);
}

test('every list of the graph says how long it is taken to be', () => {
  expect(unsized(buildGraph())).toEqual([]);
});

test('a list that does not say so is found', () => {
  const schema = buildSchema(`
    directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!]) on FIELD_DEFINITION
    type Query {
      page(size: Int): Page @listSize(slicingArguments: ["size"], sizedFields: ["nodes"])
      named: [String] @listSize(assumedSize: 3)
      bare: [String]
    }
    type Page { nodes: [Int], others: [Int] @listSize(assumedSize: 1), other: Other }
    type Other { nodes: [Int] }
  `);
  expect(unsized(schema)).toEqual(['Query.bare', 'Other.nodes']);
});

test.each([
  ['@listSize(slicingArguments: ["first"])', '@listSize names Query.list(first:), which is no argument'],
  ['@listSize(sizedFields: ["nodes"])', '@listSize names Page.nodes, which is no list'],
])('%s is refused where it names what is not there', (directive, message) => {
  const schema = buildSchema(`
    directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!]) on FIELD_DEFINITION
    type Query { list(limit: Int): Page ${directive} }
    type Page { count: Int }
  `);
  expect(() => documentLimits(schema)).toThrow(message);
});
