import { readFieldCosts } from '@carte/operations/limits/field-costs';
import {
  buildSchema,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
import { buildGraph, buildPublicGraph } from '../support/graph.ts';

function fieldsOf(schema: GraphQLSchema) {
  return Object.values(schema.getTypeMap()).flatMap(type =>
    isObjectType(type) && !isIntrospectionType(type)
      ? Object.values(type.getFields()).map(field => ({ type, field }))
      : [],
  );
}

type Entry = ReturnType<typeof fieldsOf>[number];

const hasListSize = ({ field }: Entry, argumentName: string) =>
  field.astNode?.directives?.some(
    directive =>
      directive.name.value === 'listSize' &&
      directive.arguments?.some(argument => argument.name.value === argumentName),
  ) ?? false;

/** Returns the list fields whose length no `@listSize` declares. */
function unsized(schema: GraphQLSchema): string[] {
  const entries = fieldsOf(schema);
  return entries
    .filter(({ field }) => isListType(getNullableType(field.type)))
    .filter(entry => {
      const parents = entries.filter(({ field }) => getNamedType(field.type) === entry.type);
      const isSizedByParent = parents.length > 0 && parents.every(parent => hasListSize(parent, 'sizedFields'));
      return !hasListSize(entry, 'assumedSize') && !hasListSize(entry, 'slicingArguments') && !isSizedByParent;
    })
    .map(({ type, field }) => `${type.name}.${field.name}`);
}

test('every list of the graph declares its length by @listSize, also without what is internal', () => {
  expect(unsized(buildGraph())).toEqual([]);
  expect(unsized(buildPublicGraph())).toEqual([]);
  expect(() => readFieldCosts(buildPublicGraph())).not.toThrow();
});

/** Whether a caller can give a list for an input, at any level. */
const takesList = (type: GraphQLInputType): boolean => {
  const named = getNamedType(type);
  const fields = isInputObjectType(named) ? Object.values(named.getFields()) : [];
  return isListType(getNullableType(type)) || fields.some(field => takesList(field.type));
};

test('every argument in which a caller can give a list has a cost by @cost', () => {
  const graph = buildGraph();
  const costs = readFieldCosts(graph);
  const free = fieldsOf(graph).flatMap(({ type, field }) =>
    field.args
      .filter(argument => takesList(argument.type) && !costs.get(field)?.argumentCosts.has(argument.name))
      .map(({ name }) => `${type.name}.${field.name}(${name}:)`),
  );
  // Of these the first 20 count.
  expect(free).toEqual(['MultilingualText.text(languages:)']);
});

test('every mutation has a cost by @cost', () => {
  const graph = buildGraph();
  const costs = readFieldCosts(graph);
  const fields = Object.values(graph.getMutationType()?.getFields() ?? {});
  expect(fields.filter(field => (costs.get(field)?.weight ?? 0) < 1000).map(({ name }) => name)).toEqual([]);
});

test('lists without a declared length are found', () => {
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
  ['@listSize(slicingArguments: ["first"])', '@listSize names Query.list(first:), which is not an argument'],
  ['@listSize(slicingArguments: ["limit.ids"])', '@listSize names Query.list(limit.ids:), which is not an argument'],
  ['@listSize(sizedFields: ["nodes"])', '@listSize names Page.nodes, which is not a list'],
])('%s throws for a name that does not exist', (directive, message) => {
  const schema = buildSchema(`
    directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!]) on FIELD_DEFINITION
    type Query { list(limit: Int): Page ${directive} }
    type Page { count: Int }
  `);
  expect(() => readFieldCosts(schema)).toThrow(message);
});
