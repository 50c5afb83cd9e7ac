import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { parseDateTime } from '../input/datetime.ts';

const fail = (message: string): never => {
  throw new GraphQLError(message);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as a message may show it: whatever came may be as long as a request, and deeper than the stack. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
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
    parseLiteral: node => parseInstant(node.kind === Kind.STRING ? node.value : undefined),
  }),
  SafeInt: new GraphQLScalarType({
    name: 'SafeInt',
    serialize: parseSafeInt,
    parseValue: parseSafeInt,
    parseLiteral: node => parseSafeInt(node.kind === Kind.INT ? Number(node.value) : undefined),
  }),
  StringMap: new GraphQLScalarType({
    name: 'StringMap',
    serialize: value => value,
    parseValue: parseStringMap,
    parseLiteral: node => parseStringMap(objectFromLiteral(node)),
  }),
  JSONObject: new GraphQLScalarType({
    name: 'JSONObject',
    serialize: value => value,
    parseValue: parseObject,
    parseLiteral: node => parseObject(objectFromLiteral(node)),
  }),
};
