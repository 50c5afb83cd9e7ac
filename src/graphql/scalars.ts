import { parseDateTime } from '@carte/base/datetime';
import { isObject } from '@carte/base/json';
import { shorten } from '@carte/base/validation';
import { GraphQLError, GraphQLScalarType, Kind, print, type ValueNode, valueFromASTUntyped } from 'graphql';

const parseDate = (value: unknown): Date =>
  (typeof value === 'string' ? parseDateTime(value) : undefined) ??
  fail(`${describe(value)} is not a date-time such as 2026-03-01T18:30:00Z`);

const parseSafeInt = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value)
    ? value
    : fail(`${describe(value)} is not a whole number within ±(2^53−1)`);

const parseStringMap = (value: unknown): Record<string, string> => {
  if (!isObject(value)) return fail(`${describe(value)} is not an object of strings`);
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') return fail(`the value of ${describe(key)} is not a string`);
  }
  return value as Record<string, string>;
};

const parseObject = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? value : fail(`${describe(value)} is not an object`);

const fail = (message: string): never => {
  throw new GraphQLError(message);
};

/** Describes a value for a message: it may be as long as the request, and nest deeper than the call stack. */
function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value));
  if (value instanceof Literal) return shorten(value.text);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** A literal of a kind that the scalar does not accept, for its error. */
class Literal {
  readonly text: string;

  constructor(node: ValueNode) {
    this.text = print(node);
  }
}

/** Parses the value of a literal; its error has the location of the literal. */
function parseLiteralValue<T>(node: ValueNode, value: unknown, parse: (value: unknown) => T): T {
  try {
    return parse(value);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphQLError(error.message, { nodes: node });
  }
}

/** Converts an object literal. Null prototypes keep keys such as `__proto__` ordinary. */
function objectFromLiteral(node: ValueNode): unknown {
  if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node);
  const object: Record<string, unknown> = Object.create(null);
  for (const field of node.fields) object[field.name.value] = objectFromLiteral(field.value);
  return object;
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** Formats as `toISOString` does, in a third of its time: a page of orders has a hundred times. */
function serializeDate(value: unknown): string {
  const date = value instanceof Date ? value : new Date(String(value));
  const year = date.getUTCFullYear();
  if (!(year >= 1000 && year <= 9999)) return date.toISOString();
  const day = `${year}-${twoDigits[date.getUTCMonth() + 1]}-${twoDigits[date.getUTCDate()]}`;
  const minute = `${twoDigits[date.getUTCHours()]}:${twoDigits[date.getUTCMinutes()]}`;
  const milliseconds = date.getUTCMilliseconds();
  const fraction = milliseconds === 0 ? '000' : String(milliseconds).padStart(3, '0');
  return `${day}T${minute}:${twoDigits[date.getUTCSeconds()]}.${fraction}Z`;
}

export const scalars = {
  DateTime: new GraphQLScalarType({
    name: 'DateTime',
    serialize: serializeDate,
    parseValue: parseDate,
    parseLiteral: node =>
      parseLiteralValue(node, node.kind === Kind.STRING ? node.value : new Literal(node), parseDate),
  }),
  SafeInt: new GraphQLScalarType({
    name: 'SafeInt',
    serialize: parseSafeInt,
    parseValue: parseSafeInt,
    parseLiteral: node =>
      parseLiteralValue(node, node.kind === Kind.INT ? Number(node.value) : new Literal(node), parseSafeInt),
  }),
  StringMap: new GraphQLScalarType({
    name: 'StringMap',
    serialize: value => value,
    parseValue: parseStringMap,
    parseLiteral: node => parseLiteralValue(node, objectFromLiteral(node), parseStringMap),
  }),
  StringMaps: new GraphQLScalarType({ name: 'StringMaps', serialize: value => value }),
  JSON: new GraphQLScalarType({ name: 'JSON', serialize: value => value }),
  JSONObject: new GraphQLScalarType({
    name: 'JSONObject',
    serialize: value => value,
    parseValue: parseObject,
    parseLiteral: node => parseLiteralValue(node, objectFromLiteral(node), parseObject),
  }),
};
