import type { GraphQLEnumType, GraphQLScalarType } from 'graphql';
import { type Cursor, fail, type Read } from './cursor.ts';
import { parseDateTime, restorePlus } from './datetime.ts';
import { numberOf } from './json.ts';
import { readJsonObject, readStringMap } from './maps.ts';
import { readString } from './text.ts';

/** Where values come from: a JSON body, whose types are taken strictly, or the text of a URL or header. */
export type Source = 'json' | 'text';

export interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** The reader of a scalar that the graph is known to use; undefined for another. */
export function scalarReader({ name }: GraphQLScalarType, source: Source, bounds: Bounds): Read | undefined {
  switch (name) {
    case 'ID':
    case 'String':
      return readString;
    case 'Int':
      return integerReader(source, bounds.min ?? -(2 ** 31), bounds.max ?? 2 ** 31 - 1);
    case 'SafeInt':
      return integerReader(source, bounds.min ?? Number.MIN_SAFE_INTEGER, bounds.max ?? Number.MAX_SAFE_INTEGER);
    case 'Float':
      return source === 'json' ? readFloat : readFloatText;
    case 'Boolean':
      return source === 'json' ? readBoolean : readBooleanText;
    case 'DateTime':
      return source === 'json' ? readDateTime : (value, at, depth) => readDateTime(plusRestored(value), at, depth);
    case 'StringMap':
      return readStringMap;
    case 'JSONObject':
      return readJsonObject;
    default:
      return undefined;
  }
}

const integerText = /^\s*[+-]?\d+(?:\.0+)?\s*$/;

function integerReader(source: Source, min: number, max: number): Read {
  const readNumber = (value: number, at: Cursor, depth: number) => {
    if (!Number.isFinite(value)) return fail(at, depth, 'finite_number', 'Input should be a finite number');
    if (!Number.isInteger(value)) {
      const msg = 'Input should be a valid integer, got a number with a fractional part';
      return fail(at, depth, 'int_from_float', msg);
    }
    if (value < min) {
      return fail(at, depth, 'greater_than_equal', `Input should be greater than or equal to ${min}`);
    }
    if (value > max) return fail(at, depth, 'less_than_equal', `Input should be less than or equal to ${max}`);
    return value;
  };
  if (source === 'json') {
    return (value, at, depth) => {
      const number = numberOf(value);
      return number === undefined
        ? fail(at, depth, 'int_type', 'Input should be a valid integer')
        : readNumber(number, at, depth);
    };
  }
  return (value, at, depth) =>
    typeof value === 'string' && integerText.test(value)
      ? readNumber(Number(value), at, depth)
      : fail(at, depth, 'int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
}

const readFloat: Read = (value, at, depth) => {
  const number = numberOf(value);
  if (number === undefined) return fail(at, depth, 'float_type', 'Input should be a valid number');
  return Number.isFinite(number) ? number : fail(at, depth, 'finite_number', 'Input should be a finite number');
};

const readFloatText: Read = (value, at, depth) => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isNaN(number)
    ? fail(at, depth, 'float_parsing', 'Input should be a valid number, unable to parse string as a number')
    : readFloat(number, at, depth);
};

const readBoolean: Read = (value, at, depth) =>
  typeof value === 'boolean' ? value : fail(at, depth, 'bool_type', 'Input should be a valid boolean');

const truths = new Set<unknown>(['true', '1', 'on', 'yes', 'y', 't']);
const falsehoods = new Set<unknown>(['false', '0', 'off', 'no', 'n', 'f']);

const readBooleanText: Read = (value, at, depth) => {
  const word = String(value).toLowerCase();
  if (truths.has(word)) return true;
  if (falsehoods.has(word)) return false;
  return fail(at, depth, 'bool_parsing', 'Input should be a valid boolean, unable to interpret input');
};

const readDateTime: Read = (value, at, depth) => {
  if (typeof value !== 'string') return fail(at, depth, 'datetime_type', 'Input should be a valid datetime');
  return (
    parseDateTime(value) ??
    fail(at, depth, 'datetime_parsing', 'Input should be a valid datetime, such as 2026-03-01T18:30:00Z')
  );
};

const plusRestored = (value: unknown) => (typeof value === 'string' ? restorePlus(value) : value);

export function enumReader(type: GraphQLEnumType): Read {
  const names = type.getValues().map(value => value.name);
  const allowed = new Set<unknown>(names);
  const quoted = names.map(name => `'${name}'`);
  const last = quoted.pop();
  const choice = quoted.length > 0 ? `${quoted.join(', ')} or ${last}` : last;
  return (value, at, depth) => (allowed.has(value) ? value : fail(at, depth, 'enum', `Input should be ${choice}`));
}
