import { buildSchema, type GraphQLInputType, isInputType, parseType, typeFromAST } from 'graphql';
import { expect } from 'vitest';
import { Faults, type InputFault } from '../../src/input/faults.ts';
import { compileReader, type ReaderOptions } from '../../src/input/reader.ts';

const schema = buildSchema(`
  scalar SafeInt
  scalar DateTime
  scalar StringMap
  scalar JSONObject
  scalar Colour
  enum Size { SMALL LARGE }
  input Text { translations: StringMap! }
  input Dish {
    externalId: String!
    name: Text
    price: SafeInt
    weight: Float
    inStock: Boolean
    size: Size
    tags: [String!]
    notes: [String]
    servings: Int! = 1
    constructor: String
    addressLine1: String
    sides: [Dish!]
  }
  type Query { a(id: ID, dish: Dish, colour: Colour, size: Size, at: DateTime, free: JSONObject): Int }
`);

/** An input type of a small graph, as SDL writes it. */
export function typeOf(text: string): GraphQLInputType {
  const type = typeFromAST(schema, parseType(text));
  if (!isInputType(type)) throw new Error(`${text} is no input type`);
  return type;
}

export function read(type: string, value: unknown, options: ReaderOptions = {}) {
  const faults = new Faults();
  const result = compileReader(typeOf(type), options).read(value, ['body'], faults);
  return { result, faults: faults.list };
}

/** What is read from a value that has no faults. */
export const good = (type: string, value: unknown, options?: ReaderOptions) => {
  const { result, faults } = read(type, value, options);
  expect(faults).toEqual([]);
  return result;
};

export const faultsIn = (type: string, value: unknown, options?: ReaderOptions): readonly InputFault[] =>
  read(type, value, options).faults;

/** One fault, at a place below `body`. */
export const fault = (type: string, msg: string, ...below: (string | number)[]): InputFault[] => [
  { loc: ['body', ...below], msg, type },
];
