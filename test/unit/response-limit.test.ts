import DataLoader from 'dataloader';
import { buildSchema, type ExecutionResult, execute, type GraphQLObjectType, getOperationAST, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createCompiledQueries } from '../../src/execution/compiled-queries.ts';
import { limitListObjects } from '../../src/graphql/response-limit.ts';

interface Node {
  readonly id: number;
  nodes: Node[];
  later: () => Promise<Node[]>;
  maybe: Node | null;
}

/** Creates a node whose lists contain the node itself a hundred times. */
function cyclicNode(): Node {
  const node: Node = { id: 1, nodes: [], later: async () => node.nodes, maybe: null };
  node.nodes = Array.from({ length: 100 }, () => node);
  node.maybe = node;
  return node;
}

const schema = buildSchema(
  'type Query { node: Node } type Node { id: Int! nodes: [Node!]! later: [Node!]! maybe: Node ids: [Int!] }',
);
limitListObjects(schema);
const rootValue = { node: cyclicNode() };

const run = async (text: string): Promise<ExecutionResult> =>
  execute({ schema, document: parse(text), rootValue, contextValue: { maxObjects: 10_000 } });

describe('limitListObjects', () => {
  const codes = ({ errors = [] }: ExecutionResult) => errors.map(error => error.extensions.code);

  test('leaves a response within the limit complete', async () => {
    const whole = await run('{ node { nodes { id } later { maybe { id } } a: nodes { id } b: later { id } } }');
    expect(whole.errors).toBeUndefined();
    expect(whole.data).toMatchObject({ node: { nodes: { length: 100 }, b: { length: 100 } } });
  });

  test('fails a response over the limit', async () => {
    const { data, errors } = await run('{ node { nodes { id } later { nodes { id } } } }');
    expect(errors).toEqual([expect.objectContaining({ extensions: { code: 'RESPONSE_TOO_LARGE' } })]);
    expect(data).toEqual({ node: null });
  });

  test.each([
    ['10^16 objects', `{ node { ${'nodes { '.repeat(8)} id ${'} '.repeat(8)} } }`],
    ['10^16 objects, loaded', `{ node { ${'later { '.repeat(8)} id ${'} '.repeat(8)} } }`],
    ['10^8 objects behind nullable fields', `{ node { ${'nodes { maybe { '.repeat(4)} id ${'} } '.repeat(4)} } }`],
  ])('%s fail with one error', async (_what, text) => {
    const before = process.threadCpuUsage();
    expect(codes(await run(text))).toEqual(['RESPONSE_TOO_LARGE']);
    expect(process.threadCpuUsage(before).user).toBeLessThan(5_000_000);
  });

  test('counts each response separately', async () => {
    for (let round = 0; round < 3; round++)
      expect(codes(await run('{ node { nodes { maybe { nodes { id } } } } }'))).toHaveLength(1);
    for (let round = 0; round < 300; round++) expect((await run('{ node { nodes { id } } }')).errors).toBeUndefined();
  });
});

test('A compiled query fails where graphql-js does, however often it repeats what is rendered once', async () => {
  const repeating = buildSchema('type Query { node: Node } type Node { id: ID! nodes: [Node!]! later: [Node!]! }');
  const nodes = Array.from({ length: 30 }, (_, id) => ({ id }));
  const fieldsOf = (name: string) => (repeating.getType(name) as GraphQLObjectType).getFields();
  Object.assign(fieldsOf('Query').node ?? {}, { resolve: () => nodes[0] });
  Object.assign(fieldsOf('Node').nodes ?? {}, { resolve: () => nodes });
  Object.assign(fieldsOf('Node').later ?? {}, { resolve: async () => nodes });
  limitListObjects(repeating);
  const document = parse('{ node { nodes { nodes { id } } later { later { id nodes { id } } } } }');
  const operation = getOperationAST(document);
  if (!operation) throw new Error('The document has no operation');
  const all = 30 + 30 ** 2 + 30 + 30 ** 2 + 30 ** 3;
  for (const maxObjects of [all - 1, all]) {
    const { data, errors } = await execute({ schema: repeating, document, contextValue: { maxObjects } });
    const find = createCompiledQueries(repeating, { maxObjects });
    find({ document, operation }, {});
    const compiled = find({ document, operation }, {})?.({}, {});
    if (maxObjects === all) expect(`${await compiled}`).toBe(`${JSON.stringify({ data })}\n`);
    else await expect(compiled).rejects.toThrow('too many objects');
    expect(errors === undefined).toBe(maxObjects === all);
  }
});

test('The message names the limit', async () => {
  const { errors } = await run('{ node { nodes { nodes { nodes { id } } } } }');
  expect(errors?.[0]?.message).toBe('The response has more than 10,000 objects in lists; request less at once.');
});

test('what the elements of small lists load is one batch, however long the lists took', async () => {
  const schema = buildSchema(
    'type Query { stores: [Store] } type Store { orders: [Order] } type Order { guest: String }',
  );
  const batches: number[] = [];
  const guests = new DataLoader<number, string>(async ids => {
    batches.push(ids.length);
    return ids.map(id => `guest ${id}`);
  });
  const orders = (first: number) => () => {
    // Longer than a slice of time.
    for (const until = performance.now() + 4; performance.now() < until; );
    return [first, first + 1].map(id => ({ id, guest: () => guests.load(id) }));
  };
  const rootValue = { stores: Array.from({ length: 20 }, (_, index) => ({ orders: orders(index * 2) })) };
  const document = parse('{ stores { orders { guest } } }');
  limitListObjects(schema);
  const { errors } = await execute({ schema, document, rootValue, contextValue: { maxObjects: 1e6 } });
  expect({ errors, batches }).toEqual({ batches: [40] });
});
