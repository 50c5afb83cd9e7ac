import { parseDateTime } from '@carte/base/datetime';
import { isObject } from '@carte/base/json';
import { shorten } from '@carte/base/validation';
import { GraphQLError, GraphQLScalarType, Kind, print, type ValueNode, valueFromASTUntyped } from 'graphql';

// With the literal of the value where there is one, whose location errors have; undefined for one of a kind that the scalar does not accept.
const parseDate = (value: unknown, node?: ValueNode): Date =>
  (typeof value === 'string' ? parseDateTime(value) : undefined) ??
  fail(`${describe(value, node)} is not a date-time such as 2026-03-01T18:30:00Z`, node);

const parseSafeInt = (value: unknown, node?: ValueNode): number =>
  typeof value === 'number' && Number.isSafeInteger(value)
    ? value
    : fail(`${describe(value, node)} is not a whole number within ±(2^53−1)`, node);

const parseStringMap = (value: unknown, node?: ValueNode): Record<string, string> => {
  if (!isObject(value)) return fail(`${describe(value)} is not an object of strings`, node);
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') return fail(`the value of ${describe(key)} is not a string`, node);
  }
  return value as Record<string, string>;
};

const parseObject = (value: unknown, node?: ValueNode): Readonly<Record<string, unknown>> =>
  isObject(value) ? value : fail(`${describe(value)} is not an object`, node);

const fail = (message: string, node: ValueNode | undefined): never => {
  throw new GraphQLError(message, { nodes: node ?? null });
};

/** Describes a value for a message: it may be as long as the request, and nest deeper than the call stack. */
function describe(value: unknown, node?: ValueNode): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value));
  if (value === undefined && node) return shorten(print(node));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Converts an object literal. Null prototypes keep keys such as `__proto__` ordinary. */
function objectFromLiteral(node: ValueNode): unknown {
  if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node);
  const object: Record<string, unknown> = Object.create(null);
  for (const field of node.fields) object[field.name.value] = objectFromLiteral(field.value);
  return object;
}

const millisecondsPerDay = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const threeDigits = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));
/** The day of the last date, as most dates of a response are of one day: `2026-03-01T`. */
let lastDay = { start: Number.NaN, text: '' };

/** Formats as `toISOString` does, in a sixth of its time: a page of orders has a hundred times. */
function serializeDate(value: unknown): string {
  const date = value instanceof Date ? value : new Date(String(value));
  const time = date.getTime();
  const start = Math.floor(time / millisecondsPerDay) * millisecondsPerDay;
  if (start !== lastDay.start) {
    const text = date.toISOString();
    lastDay = { start, text: text.slice(0, text.indexOf('T') + 1) };
  }
  const seconds = Math.floor((time - start) / 1000);
  const minutes = Math.floor(seconds / 60);
  const minute = `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}`;
  const second = `:${twoDigits[seconds % 60]}.${threeDigits[(time - start) % 1000]}Z`;
  return lastDay.text + minute + second;
}

/** Those whose values are taken and returned as they are need no functions. */
export const scalars = {
  DateTime: new GraphQLScalarType({
    name: 'DateTime',
    serialize: serializeDate,
    parseValue: parseDate,
    parseLiteral: node => parseDate(node.kind === Kind.STRING ? node.value : undefined, node),
  }),
  SafeInt: new GraphQLScalarType({
    name: 'SafeInt',
    serialize: parseSafeInt,
    parseValue: parseSafeInt,
    parseLiteral: node => parseSafeInt(node.kind === Kind.INT ? Number(node.value) : undefined, node),
  }),
  StringMap: new GraphQLScalarType({
    name: 'StringMap',
    parseValue: parseStringMap,
    parseLiteral: node => parseStringMap(objectFromLiteral(node), node),
  }),
  JSONObject: new GraphQLScalarType({
    name: 'JSONObject',
    parseValue: parseObject,
    parseLiteral: node => parseObject(objectFromLiteral(node), node),
  }),
};
