import { GraphQLError, GraphQLScalarType, Kind, print, type ValueNode, valueFromASTUntyped } from 'graphql';
import { parseDateTime } from '../input/datetime.ts';

const fail = (message: string): never => {
  throw new GraphQLError(message);
};

/** Parses a literal, whose place and text the error then has. */
function atLiteral<T>(node: ValueNode, value: unknown, parse: (value: unknown) => T): T {
  try {
    return parse(value);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphQLError(error.message, { nodes: node });
  }
}

/** What a literal that is not of the right kind is called in an error. */
class Literal {
  readonly #text: string;

  constructor(node: ValueNode) {
    this.#text = print(node);
  }

  toString(): string {
    return this.#text.length > 100 ? `${this.#text.slice(0, 100)}…` : this.#text;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as a message may show it: whatever came may be as long as a request, and deeper than the stack. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
  if (value instanceof Literal) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

const parseInstant = (value: unknown): Date =>
  (typeof value === 'string' ? parseDateTime(value) : undefined) ??
  fail(`${shown(value)} is not a date-time such as 2026-03-01T18:30:00Z`);

const parseSafeInt = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value)
    ? value
    : fail(`${shown(value)} is not a whole number within ±(2^53−1)`);

const parseStringMap = (value: unknown): Record<string, string> => {
  if (!isObject(value)) return fail(`${shown(value)} is not an object of strings`);
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') return fail(`the value of ${shown(key)} is not a string`);
  }
  return value as Record<string, string>;
};

const parseObject = (value: unknown): Record<string, unknown> =>
  isObject(value) ? value : fail(`${shown(value)} is not an object`);

/** An object literal of a query. Null prototypes keep keys such as `__proto__` ordinary. */
function objectFromLiteral(node: ValueNode): unknown {
  if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node);
  const object: Record<string, unknown> = Object.create(null);
  for (const field of node.fields) object[field.name.value] = objectFromLiteral(field.value);
  return object;
}

/** What is answered as it is: an instant as this service itself writes it. */
const written = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function serializeInstant(value: unknown): string {
  if (typeof value === 'string' && written.test(value)) return value;
  return (value instanceof Date ? value : new Date(String(value))).toISOString();
}

export const scalars = {
  DateTime: new GraphQLScalarType({
    name: 'DateTime',
    serialize: serializeInstant,
    parseValue: parseInstant,
    parseLiteral: node => atLiteral(node, node.kind === Kind.STRING ? node.value : new Literal(node), parseInstant),
  }),
  SafeInt: new GraphQLScalarType({
    name: 'SafeInt',
    serialize: parseSafeInt,
    parseValue: parseSafeInt,
    parseLiteral: node =>
      atLiteral(node, node.kind === Kind.INT ? Number(node.value) : new Literal(node), parseSafeInt),
  }),
  StringMap: new GraphQLScalarType({
    name: 'StringMap',
    serialize: value => value,
    parseValue: parseStringMap,
    parseLiteral: node => atLiteral(node, objectFromLiteral(node), parseStringMap),
  }),
  StringMaps: new GraphQLScalarType({ name: 'StringMaps', serialize: value => value }),
  JSONObject: new GraphQLScalarType({
    name: 'JSONObject',
    serialize: value => value,
    parseValue: parseObject,
    parseLiteral: node => atLiteral(node, objectFromLiteral(node), parseObject),
  }),
};
