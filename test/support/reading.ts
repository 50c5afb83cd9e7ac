import { type RequestError, ValidationErrors } from '@carte/base/validation';
import { compileReader, type ReaderOptions } from '@carte/operations/input/reader';
import { buildSchema, type GraphQLInputType, isInputType, parseType, typeFromAST } from 'graphql';
import { expect } from 'vitest';

const schema = buildSchema(`
  directive @nameInBodies(name: String!) on INPUT_FIELD_DEFINITION
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
  input Choice {
    groupId: ID! @nameInBodies(name: "group")
    oldGroupId: ID @deprecated(reason: "Use \`groupId\`.")
    from: [Choice!] @nameInBodies(name: "chosen_from")
  }
  type Query { a(id: ID, dish: Dish, choice: Choice, colour: Colour, size: Size, at: DateTime, free: JSONObject): Int }
`);

/** Returns an input type of a small schema by its SDL notation. */
export function typeOf(text: string): GraphQLInputType {
  const type = typeFromAST(schema, parseType(text));
  if (!isInputType(type)) throw new Error(`${text} is not an input type`);
  return type;
}

export function read(type: string, value: unknown, options: ReaderOptions = {}) {
  const errors = new ValidationErrors();
  const result = compileReader(typeOf(type), options).read(value, ['body'], errors);
  return { result, errors: errors.list };
}

/** Reads a valid value. */
export const readValid = (type: string, value: unknown, options?: ReaderOptions) => {
  const { result, errors } = read(type, value, options);
  expect(errors).toEqual([]);
  return result;
};

export const errorsIn = (type: string, value: unknown, options?: ReaderOptions): readonly RequestError[] =>
  read(type, value, options).errors;

/** One error at a path below `body`. */
export const error = (type: string, msg: string, ...below: (string | number)[]): RequestError[] => [
  { loc: ['body', ...below], msg, type },
];
