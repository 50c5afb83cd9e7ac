import { parseDateTime, restorePlus } from '@carte/base/datetime';
import { isObject, numberOf } from '@carte/base/json';
import {
  type ErrorPath,
  fail,
  findUnstorable,
  forbidUnknownFields,
  isStorable,
  type PathCursor,
  type Read,
  readElements,
  readInSlices,
  textProblem,
  type ValidationErrors,
} from '@carte/base/validation';
import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import type { ValueMapping } from '../contract/directives.ts';
import { bodyFieldsOf } from './names.ts';

export interface ReaderOptions {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Source of the values: a JSON body, the default, read without coercion, or text of a URL or header, which is parsed. */
  readonly source?: 'json' | 'text';
  /** What is done with unknown fields of objects, at any depth. Default: `ignore`. */
  readonly unknownFields?: 'ignore' | 'forbid';
  /** The values of callers in place of those of the graph; of a list, those of its elements. */
  readonly values?: readonly ValueMapping[] | undefined;
}

/**
 * Validates a value of a request and converts it to a variable of the graph: snake_case names become the graph's, unknown
 * fields are dropped or forbidden, and every error is added with its path. The result is valid only if no error was added.
 */
export interface Reader {
  read(value: unknown, path: ErrorPath, errors: ValidationErrors): unknown;
  /** The same for a large value: yields to the event loop between the elements of long lists. */
  readInSlices(value: unknown, path: ErrorPath, errors: ValidationErrors): Promise<unknown>;
}

/** Compiles an input type into a reader; bounds apply to the type itself, not to elements or fields of it. */
export function compileReader(type: GraphQLInputType, options: ReaderOptions = {}): Reader {
  return toReader(compileRead(type, options));
}

/** A reader as a part of others. */
export const compileRead = (type: GraphQLInputType, options: ReaderOptions = {}): Read =>
  compile(type, options, new Map());

export function toReader(read: Read): Reader {
  return {
    read: (value, path, errors) => read(value, { keys: [...path], errors }, path.length),
    readInSlices: (value, path, errors) => readInSlices(read, value, path, errors),
  };
}

/** By type, since input types may be recursive. */
type ObjectReaders = Map<GraphQLInputObjectType, Read>;

function compile(type: GraphQLInputType, options: ReaderOptions, objects: ObjectReaders): Read {
  if (isNonNullType(type)) return compile(type.ofType, options, objects);
  if (isListType(type)) {
    return options.source === 'text' ? textListReader(type.ofType, options) : listReader(type.ofType, options, objects);
  }
  if (isInputObjectType(type)) return objects.get(type) ?? objectReader(type, options, objects);
  if (options.values) return valuesReader(options.values, options.source === 'text');
  return isEnumType(type) ? enumReader(type) : scalarReader(type, options);
}

function listReader(itemType: GraphQLInputType, options: ReaderOptions, objects: ObjectReaders): Read {
  const readItem = compile(itemType, { ...below(options), values: options.values }, objects);
  const readElement: Read = isNonNullType(itemType)
    ? readItem
    : (value, cursor, depth) => (value === null ? null : readItem(value, cursor, depth));
  return (value, cursor, depth) => {
    if (!Array.isArray(value)) return fail(cursor, depth, 'list_type', 'Input should be a valid list');
    return readElements(value, cursor, depth, readElement);
  };
}

/** Reads the comma-separated list of a URL; errors of a single value have no index. */
function textListReader(itemType: GraphQLInputType, { values }: ReaderOptions): Read {
  const readItem = compile(itemType, { source: 'text', values }, new Map());
  return (value, cursor, depth) => {
    const items = String(value).split(',');
    return items.map((item, index) => {
      cursor.keys[depth] = index;
      return readItem(item.trim(), cursor, items.length > 1 ? depth + 1 : depth);
    });
  };
}

/** Bounds apply to a value itself. */
const below = ({ unknownFields }: ReaderOptions): ReaderOptions => ({ ...(unknownFields && { unknownFields }) });

export const failNoObject = (cursor: PathCursor, depth: number) =>
  fail(cursor, depth, 'model_attributes_type', 'Input should be a valid dictionary or object to extract fields from');

function objectReader(type: GraphQLInputObjectType, options: ReaderOptions, objects: ObjectReaders): Read {
  const fields: { from: string; to: string; required: boolean; defaultValue: unknown; read: Read }[] = [];
  const names = new Set<string>();
  const forbidsUnknown = options.unknownFields === 'forbid';
  const read: Read = (value, cursor, depth) => {
    if (!isObject(value)) return failNoObject(cursor, depth);
    const result: Record<string, unknown> = {};
    for (const field of fields) {
      const input = Object.hasOwn(value, field.from) ? value[field.from] : undefined;
      cursor.keys[depth] = field.from;
      if (input === undefined && field.required) fail(cursor, depth + 1, 'missing', 'Field required');
      else if (field.required || (input !== undefined && input !== null)) {
        result[field.to] = field.read(input, cursor, depth + 1);
      } else if (field.defaultValue !== undefined) result[field.to] = field.defaultValue;
    }
    if (forbidsUnknown) forbidUnknownFields(value, names, cursor, depth);
    return result;
  };
  objects.set(type, read);
  for (const field of bodyFieldsOf(type)) {
    names.add(field.bodyName);
    fields.push({
      from: field.bodyName,
      to: field.name,
      required: isRequiredInputField(field),
      defaultValue: field.defaultValue,
      read: compile(field.type, below(options), objects),
    });
  }
  return read;
}

function scalarReader({ name }: GraphQLScalarType, { source, min, max }: ReaderOptions): Read {
  const isText = source === 'text';
  switch (name) {
    case 'ID':
    case 'String':
      return readString;
    case 'Int':
      return integerReader(isText, min ?? -(2 ** 31), max ?? 2 ** 31 - 1);
    case 'SafeInt':
      return integerReader(isText, min ?? Number.MIN_SAFE_INTEGER, max ?? Number.MAX_SAFE_INTEGER);
    case 'Float':
      return isText ? readFloatText : readFloat;
    case 'Boolean':
      return isText ? readBooleanText : readBoolean;
    case 'DateTime':
      return isText ? readDateTimeText : readDateTime;
    case 'StringMap':
      return readStringMap;
    case 'JSONObject':
      return readJsonObject;
    default:
      throw new Error(`There is no reader for the scalar ${name}`);
  }
}

const integerText = /^\s*[+-]?\d+(?:\.0+)?\s*$/;

function integerReader(isText: boolean, min: number, max: number): Read {
  const readNumber = (value: number, cursor: PathCursor, depth: number) => {
    if (!Number.isFinite(value)) return fail(cursor, depth, 'finite_number', 'Input should be a finite number');
    if (!Number.isInteger(value)) {
      const msg = 'Input should be a valid integer, got a number with a fractional part';
      return fail(cursor, depth, 'int_from_float', msg);
    }
    if (value < min) {
      return fail(cursor, depth, 'greater_than_equal', `Input should be greater than or equal to ${min}`);
    }
    if (value > max) return fail(cursor, depth, 'less_than_equal', `Input should be less than or equal to ${max}`);
    return value;
  };
  if (!isText) {
    return (value, cursor, depth) => {
      const number = numberOf(value);
      return number === undefined
        ? fail(cursor, depth, 'int_type', 'Input should be a valid integer')
        : readNumber(number, cursor, depth);
    };
  }
  return (value, cursor, depth) =>
    typeof value === 'string' && integerText.test(value)
      ? readNumber(Number(value), cursor, depth)
      : fail(cursor, depth, 'int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
}

const readFloat: Read = (value, cursor, depth) => {
  const number = numberOf(value);
  if (number === undefined) return fail(cursor, depth, 'float_type', 'Input should be a valid number');
  return Number.isFinite(number) ? number : fail(cursor, depth, 'finite_number', 'Input should be a finite number');
};

const readFloatText: Read = (value, cursor, depth) => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isNaN(number)
    ? fail(cursor, depth, 'float_parsing', 'Input should be a valid number, unable to parse string as a number')
    : readFloat(number, cursor, depth);
};

const readBoolean: Read = (value, cursor, depth) =>
  typeof value === 'boolean' ? value : fail(cursor, depth, 'bool_type', 'Input should be a valid boolean');

const trueWords = new Set<unknown>(['true', '1', 'on', 'yes', 'y', 't']);
const falseWords = new Set<unknown>(['false', '0', 'off', 'no', 'n', 'f']);

const readBooleanText: Read = (value, cursor, depth) => {
  const word = String(value).toLowerCase();
  if (trueWords.has(word)) return true;
  if (falseWords.has(word)) return false;
  return fail(cursor, depth, 'bool_parsing', 'Input should be a valid boolean, unable to interpret input');
};

const readDateTime: Read = (value, cursor, depth) => {
  if (typeof value !== 'string') return fail(cursor, depth, 'datetime_type', 'Input should be a valid datetime');
  return (
    parseDateTime(value) ??
    fail(cursor, depth, 'datetime_parsing', 'Input should be a valid datetime, such as 2026-03-01T18:30:00Z')
  );
};

const readDateTimeText: Read = (value, cursor, depth) =>
  readDateTime(typeof value === 'string' ? restorePlus(value) : value, cursor, depth);

function enumReader(type: GraphQLEnumType): Read {
  return choiceReader(new Map(type.getValues().map(({ name }) => [name, name])));
}

/** Reads values of callers; in a text, as they are written there. */
export function valuesReader(values: readonly ValueMapping[], isText = false): Read {
  return choiceReader(new Map(values.map(({ of, as }) => [isText ? String(as) : as, of])));
}

/** Reads one of these values as the one that it stands for: by its JSON type and value, so that 1 is not "1". */
function choiceReader(choices: ReadonlyMap<unknown, unknown>): Read {
  const quoted = [...choices.keys()].map(value => (typeof value === 'string' ? `'${value}'` : String(value)));
  const last = quoted.pop();
  const choice = quoted.length > 0 ? `${quoted.join(', ')} or ${last}` : last;
  return (value, cursor, depth) =>
    choices.has(value) ? choices.get(value) : fail(cursor, depth, 'enum', `Input should be ${choice}`);
}

/** Accepts strings that PostgreSQL can store and JSON can represent. */
const readString: Read = (value, cursor, depth) => {
  if (typeof value !== 'string') return fail(cursor, depth, 'string_type', 'Input should be a valid string');
  const problem = textProblem(value);
  return problem ? fail(cursor, depth, 'value_error', `Value error, ${problem}`) : value;
};

/** Validates a map of strings and returns the same object: its keys are data, `__proto__` included. */
const readStringMap: Read = (value, cursor, depth) => {
  if (!isObject(value)) return fail(cursor, depth, 'dict_type', 'Input should be a valid dictionary');
  for (const key of Object.keys(value)) {
    if (cursor.errors.full) break;
    cursor.keys[depth] = key;
    if (readString(key, cursor, depth + 1) !== undefined) readString(value[key], cursor, depth + 1);
  }
  return value;
};

/** Validates a JSON object of any shape and returns the same object. */
const readJsonObject: Read = (value, cursor, depth) => {
  if (!isObject(value)) return fail(cursor, depth, 'dict_type', 'Input should be a valid dictionary');
  if (isStorable(value, depth)) return value;
  for (const { path, type, message } of findUnstorable(value, cursor.keys.slice(0, depth))) {
    if (cursor.errors.full) break;
    cursor.errors.add(path, type, message);
  }
  return value;
};
