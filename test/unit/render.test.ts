import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLObjectType, type GraphQLResolveInfo, parse } from 'graphql';
import { expect, test } from 'vitest';
import { compileRender, type FieldShape, type Shape } from '../../src/cache/render.ts';
import { compileResolve, Rendering } from '../../src/cache/rendering.ts';
import { fragmentsOf, operationOf, selectedFields } from '../../src/cache/selected-fields.ts';
import { bytesOf } from '../../src/cache/writer.ts';

const typeDefs = `
  type Query { node: Node! nodes: [Node]! }
  type Node { id: ID! name: String later: String! fails: String! throws: String! next: Node! times(n: Int = 2): Int! }
`;

interface Node {
  readonly id: string;
  readonly name?: string | null;
  readonly next?: Node;
}

const loads: string[][] = [];
let waiting: string[] | undefined;

/** Loads what is asked for together with all that is asked for before anything waits. */
async function load(id: string): Promise<string> {
  if (!waiting) {
    waiting = [];
    loads.push(waiting);
  }
  waiting.push(id);
  await new Promise(resolve => setImmediate(resolve));
  waiting = undefined;
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

/** The JSON of the one root field of a query. */
async function write(text: string, root: unknown, { variables = {}, form }: { variables?: object; form?: Shape } = {}) {
  const document = parse(text);
  const fragments = fragmentsOf(document);
  const [selected] = selectedFields(operationOf(document, undefined)?.selectionSet.selections ?? [], fragments);
  const field = selected && (schema.getQueryType() as GraphQLObjectType).getFields()[selected.node.name.value];
  if (!field) throw new Error('The query has no field');
  const rendering = new Rendering({ variables: { ...variables }, context: {} });
  const value = compileResolve(field, selected, fragments)(root, rendering);
  return bytesOf(await compileRender(field.type, selected, fragments, form)(value, rendering)).toString();
}

test('fields stand in their order, nulls among them, with fragments taken apart', async () => {
  const text = '{ node { name ...Rest __typename } } fragment Rest on Node { key: id times }';
  expect(await write(text, { id: 'a' })).toBe('{"name":null,"key":"a","times":10,"__typename":"Node"}');
});

test('arguments come from literals and variables', async () => {
  const text = 'query ($n: Int) { node { one: times(n: 1) given: times(n: $n) } }';
  expect(await write(text, { id: 'a' }, { variables: { n: 3 } })).toBe('{"one":5,"given":15}');
});

test('what has to be loaded is asked for together, at whatever depth it stands', async () => {
  loads.length = 0;
  const nodes = ['a', 'b'].map(id => ({ id, next: { id: `${id}2` } }));
  expect(JSON.parse(await write('{ nodes { later next { later } } }', [...nodes, null]))).toEqual([
    { later: 'loaded a', next: { later: 'loaded a2' } },
    { later: 'loaded b', next: { later: 'loaded b2' } },
    null,
  ]);
  expect(loads).toEqual([['a', 'a2', 'b', 'b2']]);
});

test('an object that stands in many places is written once', async () => {
  resolved = 0;
  const shared = { id: 'shared', name: 'x' };
  const nodes = Array.from({ length: 100 }, (_, at) => ({ id: String(at), next: shared }));
  expect(JSON.parse(await write('{ nodes { next { name } } }', nodes))).toHaveLength(100);
  expect(resolved).toBe(1);
});

test('a form leaves out, fills in and adds', async () => {
  const plain: FieldShape = { optional: false, fallback: undefined, constant: undefined, below: undefined };
  const form: Shape = new Map([
    ['id', plain],
    ['code', { ...plain, constant: '"000000"' }],
    ['name', { ...plain, optional: true }],
    ['other', { ...plain, fallback: '"none"' }],
  ]);
  const text = '{ node { times id name other: name } }';
  expect(await write(text, { id: 'a' }, { form })).toBe('{"id":"a","code":"000000","other":"none"}');
  expect(await write(text, { id: 'a', name: 'n' }, { form })).toBe('{"id":"a","code":"000000","name":"n","other":"n"}');
});

test('the first failure is told, and one that comes after it ends nothing', async () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  process.on('unhandledRejection', hear);
  await expect(write('{ node { fails throws } }', { id: 'a' })).rejects.toThrow('at once');
  await expect(write('{ nodes { fails } }', [{ id: 'a' }, { id: 'b' }])).rejects.toThrow('too late');
  await expect(write('{ node { next { id } } }', { id: 'a' })).rejects.toThrow('Node.next is null');
  await new Promise(resolve => setImmediate(resolve));
  process.off('unhandledRejection', hear);
  expect(unheard).toEqual([]);
});
