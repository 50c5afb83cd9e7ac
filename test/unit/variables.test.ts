import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildSchema, getVariableValues, Kind, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createVariableCoercion } from '../../src/graphql/variables.ts';

const schema = buildSchema(`
  type Query { find(ids: [ID!], filter: Filter, at: [[Int]]): String }
  enum Color { RED GREEN }
  input Filter { name: String! = "any" color: Color! below: Filter amounts: [Float!] limit: Int = 10 }
`);
const coerce = createVariableCoercion(schema, { suggests: true });

function operationOf(variables: string) {
  const [operation] = parse(`query (${variables}) { find }`).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  return operation;
}

describe('valid variables are coerced as graphql-js does', () => {
  test.each<[definitions: string, given: Record<string, unknown>]>([
    ['$ids: [ID!]', { ids: [1, 'two'] }],
    ['$ids: [ID!]', { ids: 'one' }],
    ['$ids: [ID!]', { ids: null }],
    ['$ids: [ID!]', {}],
    ['$ids: [ID!] = ["x"], $unused: Int', {}],
    ['$at: [[Int]]', { at: [[1, null], 2, null] }],
    ['$filter: Filter', { filter: { color: 'RED', below: { color: 'GREEN', amounts: 1 }, amounts: [1.5, 2] } }],
    ['$filter: Filter!', { filter: { color: 'RED', name: 'x', limit: null } }],
  ])('%s with %o', async (definitions, given) => {
    const operation = operationOf(definitions);
    const expected = getVariableValues(schema, operation.variableDefinitions ?? [], given);
    expect(JSON.parse(JSON.stringify(await coerce(operation, given)))).toEqual(
      JSON.parse(JSON.stringify({ coerced: expected.coerced })),
    );
  });
});

describe('invalid variables', () => {
  async function errorsOf(definitions: string, given: Record<string, unknown>) {
    const result = await coerce(operationOf(definitions), given);
    if (!('errors' in result)) throw new Error('The variables are valid');
    return result.errors.map(({ message, extensions }) => ({ message, ...extensions }));
  }

  test('have the messages of graphql-js with paths as elsewhere, and all errors with their paths', async () => {
    const errors = await errorsOf('$filter: Filter!, $ids: [ID!]!', {
      filter: { colour: 1, below: { color: 'BLUE' }, amounts: ['x'] },
    });
    expect(errors.map(({ message }) => message)).toEqual([
      'Variable "$filter" got invalid value at "filter.color"; Field "color" of required type "Color!" was not provided.',
      'Variable "$filter" got invalid value "BLUE" at "filter.below.color"; Value "BLUE" does not exist in "Color" enum.',
      'Variable "$filter" got invalid value "x" at "filter.amounts.0"; Float cannot represent non numeric value: "x"',
      'Variable "$filter" got invalid value 1 at "filter.colour"; Field "colour" is not defined by type "Filter". Did you mean "color"?',
      'Variable "$ids" of required type "[ID!]!" was not provided.',
    ]);
    expect(errors[0]).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [
        { path: ['filter', 'color'], type: 'missing' },
        { path: ['filter', 'below', 'color'], type: 'value_error' },
        { path: ['filter', 'amounts', 0], type: 'value_error' },
        { path: ['filter', 'colour'], type: 'extra_forbidden' },
        { path: ['ids'], type: 'missing' },
      ],
    });
  });

  test('end the coercion at 1,000 errors, of which the response has 50', async () => {
    let read = 0;
    const values = Array.from({ length: 100_000 }, () => true);
    const counted = new Proxy(values, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) read += 1;
        return Reflect.get(target, key);
      },
    });
    const errors = await errorsOf('$at: [Float]', { at: counted });
    expect(errors).toHaveLength(51);
    expect(errors[0]).toHaveProperty('errors.length', 1000);
    expect(errors[50]?.message).toBe(
      'There are 1000 errors in the variables; extensions.errors of the first has them all.',
    );
    expect(read).toBeLessThan(1100);
  });

  test('are not printed whole, and nor are the keys of an object', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]));
    const errors = await errorsOf('$filter: Filter, $ids: [ID!]', { filter: fields, ids: [fields] });
    expect(JSON.stringify(errors.map(({ message }) => message)).length).toBeLessThan(20_000);
  });
});

test('a large value is coerced in more than one turn of the event loop', async () => {
  let turns = 0;
  let isDone = false;
  const count = async () => {
    while (!isDone) {
      await nextTurn();
      turns += 1;
    }
  };
  const counting = count();
  const below = { color: 'RED', amounts: Array.from({ length: 50 }, (_, index) => index) };
  const filter = { color: 'RED', amounts: Array.from({ length: 500_000 }, (_, index) => index), below };
  await coerce(operationOf('$filter: Filter!'), { filter });
  isDone = true;
  await counting;
  expect(turns).toBeGreaterThan(3);
});
