import { toBuffers } from '@carte/operations/execution/json-writer';
import { compileRenderer, type FieldShape, type Shape } from '@carte/operations/execution/renderer';
import { compileResolver, Rendering } from '@carte/operations/execution/resolve';
import { fragmentsOf, selectedFields } from '@carte/operations/execution/selected-fields';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLObjectType, type GraphQLResolveInfo, getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';

const typeDefs = `
  type Query { node: Node! nodes: [Node]! }
  type Node { id: ID! name: String tags: [String!] later: String! fails: String! throws: String! next: Node! times(n: Int = 2): Int! }
`;

interface Node {
  readonly id: string;
  readonly name?: string | null;
  readonly next?: Node;
}

const batches: string[][] = [];
let batch: string[] | undefined;

/** Loads ids in batches, one for each turn of the event loop. */
async function load(id: string): Promise<string> {
  if (!batch) {
    batch = [];
    batches.push(batch);
  }
  batch.push(id);
  await new Promise(resolve => setImmediate(resolve));
  batch = undefined;
  return `loaded ${id}`;
}

let resolved = 0;
const schema = makeExecutableSchema({
  typeDefs,
  resolvers: {
    Query: { node: (root: Node) => root, nodes: (root: readonly Node[]) => root },
    Node: {
      name: ({ name }: Node) => {
        resolved += 1;
        return name;
      },
      later: ({ id }: Node) => load(id),
      fails: async () => {
        await null;
        throw new Error('too late');
      },
      throws: () => {
        throw new Error('at once');
      },
      times: (_node: Node, { n }: { n: number }, _context: unknown, { fieldName }: GraphQLResolveInfo) =>
        fieldName.length * n,
    },
  },
});

/** Renders the root field of a query. */
async function render(
  text: string,
  root: unknown,
  { variables = {}, shape }: { variables?: object; shape?: Shape } = {},
) {
  const document = parse(text);
  const fragments = fragmentsOf(document);
  const [selected] = selectedFields(getOperationAST(document)?.selectionSet.selections ?? [], fragments);
  const field = selected && (schema.getQueryType() as GraphQLObjectType).getFields()[selected.node.name.value];
  if (!field) throw new Error('The query has no field');
  const rendering = new Rendering({ variables: { ...variables }, context: {} });
  const value = compileResolver(field, selected, fragments)(root, rendering);
  const chunk = await compileRenderer(field.type, selected, fragments, shape)(value, rendering);
  return Buffer.concat(toBuffers(chunk)).toString();
}

test('fields are in the order of the query, with nulls, and fragments are expanded', async () => {
  const text = '{ node { name ...Rest __typename } } fragment Rest on Node { key: id times }';
  expect(await render(text, { id: 'a' })).toBe('{"name":null,"key":"a","times":10,"__typename":"Node"}');
});

test('arguments come from literals and variables', async () => {
  const text = 'query ($n: Int) { node { one: times(n: 1) given: times(n: $n) } }';
  expect(await render(text, { id: 'a' }, { variables: { n: 3 } })).toBe('{"one":5,"given":15}');
});

test('loads at any depth are started in one batch', async () => {
  batches.length = 0;
  const nodes = ['a', 'b'].map(id => ({ id, next: { id: `${id}2` } }));
  expect(JSON.parse(await render('{ nodes { later next { later } } }', [...nodes, null]))).toEqual([
    { later: 'loaded a', next: { later: 'loaded a2' } },
    { later: 'loaded b', next: { later: 'loaded b2' } },
    null,
  ]);
  expect(batches).toEqual([['a', 'a2', 'b', 'b2']]);
});

test('a repeated object is rendered once', async () => {
  resolved = 0;
  const shared = { id: 'shared', name: 'x' };
  const nodes = Array.from({ length: 100 }, (_, at) => ({ id: String(at), next: shared }));
  expect(JSON.parse(await render('{ nodes { next { name } } }', nodes))).toHaveLength(100);
  expect(resolved).toBe(1);
});

test('a shape omits optional nulls, replaces nulls by defaults and adds constants', async () => {
  const plain: FieldShape = { optional: false, fallback: undefined, constant: undefined, shape: undefined };
  const shape: Shape = new Map([
    ['id', plain],
    ['code', { ...plain, constant: '"000000"' }],
    ['name', { ...plain, optional: true }],
    ['other', { ...plain, fallback: '"none"' }],
  ]);
  const text = '{ node { times id name other: name } }';
  expect(await render(text, { id: 'a' }, { shape })).toBe('{"id":"a","code":"000000","other":"none"}');
  expect(await render(text, { id: 'a', name: 'n' }, { shape })).toBe(
    '{"id":"a","code":"000000","name":"n","other":"n"}',
  );
});

test('null is an element of a list only where the schema allows it', async () => {
  expect(await render('{ nodes { id } }', [null, { id: 'a' }, undefined])).toBe('[null,{"id":"a"},null]');
  await expect(render('{ node { tags } }', { id: 'a', tags: ['x', null] })).rejects.toThrow(
    'An element of tags is null',
  );
});

test('the first error is thrown, and a later rejection is not unhandled', async () => {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', listener);
  await expect(render('{ node { fails throws } }', { id: 'a' })).rejects.toThrow('at once');
  await expect(render('{ nodes { fails } }', [{ id: 'a' }, { id: 'b' }])).rejects.toThrow('too late');
  await expect(render('{ node { next { id } } }', { id: 'a' })).rejects.toThrow('Node.next is null');
  await new Promise(resolve => setImmediate(resolve));
  process.off('unhandledRejection', listener);
  expect(unhandled).toEqual([]);
});
