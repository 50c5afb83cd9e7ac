import { buildSchema, type ExecutionResult, execute, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { boundLists, stringifyAnswer } from '../../src/graphql/limits/answer.ts';

interface Node {
  readonly id: number;
  nodes: Node[];
  later: () => Promise<Node[]>;
  maybe: Node | null;
}

/** A node that has itself a hundred times. */
function circle(): Node {
  const node: Node = { id: 1, nodes: [], later: async () => node.nodes, maybe: null };
  node.nodes = Array.from({ length: 100 }, () => node);
  node.maybe = node;
  return node;
}

const schema = boundLists(
  buildSchema(
    'type Query { node: Node } type Node { id: Int! nodes: [Node!]! later: [Node!]! maybe: Node ids: [Int!] }',
  ),
  10_000,
);
const rootValue = { node: circle() };

const run = async (text: string): Promise<ExecutionResult> =>
  execute({ schema, document: parse(text), rootValue, contextValue: {} });

describe('The objects of an answer', () => {
  const codes = ({ errors = [] }: ExecutionResult) => errors.map(error => error.extensions.code);

  test('an answer up to the limit is whole', async () => {
    const whole = await run('{ node { nodes { id } later { maybe { id } } a: nodes { id } b: later { id } } }');
    expect(whole.errors).toBeUndefined();
    expect(whole.data).toMatchObject({ node: { nodes: { length: 100 }, b: { length: 100 } } });
  });

  test('one beyond it is refused', async () => {
    const { data, errors } = await run('{ node { nodes { id } later { nodes { id } } } }');
    expect(errors).toEqual([expect.objectContaining({ extensions: { code: 'ANSWER_TOO_LARGE' } })]);
    expect(data).toEqual({ node: null });
  });

  test.each([
    ['10^16 objects', `{ node { ${'nodes { '.repeat(8)} id ${'} '.repeat(8)} } }`],
    ['10^16 objects, loaded', `{ node { ${'later { '.repeat(8)} id ${'} '.repeat(8)} } }`],
    ['10^8 objects behind nullable fields', `{ node { ${'nodes { maybe { '.repeat(4)} id ${'} } '.repeat(4)} } }`],
  ])('%s are refused, with one error', async (_what, text) => {
    const begun = performance.now();
    expect(codes(await run(text))).toEqual(['ANSWER_TOO_LARGE']);
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  test('each answer is counted by itself', async () => {
    for (let turn = 0; turn < 3; turn++)
      expect(codes(await run('{ node { nodes { maybe { nodes { id } } } } }'))).toHaveLength(1);
    for (let turn = 0; turn < 300; turn++) expect((await run('{ node { nodes { id } } }')).errors).toBeUndefined();
  });
});

test('The message says what is allowed', async () => {
  const { errors } = await run('{ node { nodes { nodes { nodes { id } } } } }');
  expect(errors?.[0]?.message).toBe('The answer has more than 10,000 objects in lists; ask for less at once.');
});

test('An answer that no string can hold is refused as well', () => {
  // As V8 does beyond 512 MB, which a test should not fill.
  const endless = { toJSON: () => new Array(2 ** 32) };
  expect(JSON.parse(stringifyAnswer({ data: endless }))).toMatchObject({
    errors: [{ extensions: { code: 'ANSWER_TOO_LARGE' } }],
  });
  expect(stringifyAnswer({ data: null })).toBe('{"data":null}\n');
});
