import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
} from 'graphql';
import { isObject } from './json.ts';
import {
  type ErrorPath,
  fail,
  type PathCursor,
  type Read,
  readElements,
  readInSlices,
  shorten,
  type ValidationErrors,
} from './validation-errors.ts';

/**
 * Coerces an input value as the GraphQL specification defines it. Unlike that of graphql-js, the coercion ends at the limit of errors, and yields to
 * the event loop.
 */
export type Coerce = (value: unknown, path: ErrorPath, errors: ValidationErrors) => Promise<unknown>;

/** Ends a message about an unknown name, e.g. with the most similar of the known ones. */
export type Suggest = (name: string, known: readonly string[]) => string;

/** Compiles coercions by type. */
export function createCoercions(suggest: Suggest): (type: GraphQLInputType) => Coerce {
  const readers = new Map<GraphQLInputType, Read>();

  function compile(type: GraphQLInputType): Read {
    const known = readers.get(type);
    if (known) return known;
    const read: Read = (value, cursor, depth) => compiled(value, cursor, depth);
    // Before it is compiled, since input types may be recursive.
    readers.set(type, read);
    const compiled = compileType(type);
    return read;
  }

  function compileType(type: GraphQLInputType): Read {
    if (isNonNullType(type))
      return compileNonNull(compile(type.ofType), `Expected non-nullable type "${type}" not to be null.`);
    if (isListType(type)) return nullable(compileList(compile(type.ofType)));
    return nullable(isInputObjectType(type) ? compileObject(type, compile, suggest) : compileLeaf(type));
  }

  return type => {
    const read = compile(type);
    return (value, path, errors) => readInSlices(read, value, path, errors);
  };
}

const nullable =
  (read: Read): Read =>
  (value, cursor, depth) =>
    value === null || value === undefined ? null : read(value, cursor, depth);

function compileNonNull(read: Read, message: string): Read {
  return (value, cursor, depth) =>
    value === null || value === undefined ? fail(cursor, depth, 'value_error', message) : read(value, cursor, depth);
}

/** A value that is no list stands for a list of one. */
function compileList(readItem: Read): Read {
  return (value, cursor, depth) => {
    if (!Array.isArray(value)) return [readItem(value, cursor, depth)];
    return readElements(value, cursor, depth, readItem);
  };
}

function compileObject(
  type: GraphQLInputObjectType,
  compile: (type: GraphQLInputType) => Read,
  suggest: Suggest,
): Read {
  const fields = Object.values(type.getFields()).map(({ name, type: fieldType, defaultValue }) => ({
    name,
    read: compile(fieldType),
    defaultValue,
    missing: isNonNullType(fieldType) ? `Field "${name}" of required type "${fieldType}" was not provided.` : undefined,
  }));
  const names = new Set(fields.map(({ name }) => name));
  const unknown = (name: string) =>
    `Field "${shorten(name)}" is not defined by type "${type.name}".${suggest(name, [...names])}`;
  return (value, cursor, depth) => {
    if (!isObject(value)) return fail(cursor, depth, 'value_error', `Expected type "${type.name}" to be an object.`);
    const coerced: Record<string, unknown> = {};
    for (const { name, read, defaultValue, missing } of fields) {
      const input = Object.hasOwn(value, name) ? value[name] : undefined;
      cursor.keys[depth] = name;
      if (input !== undefined) coerced[name] = read(input, cursor, depth + 1);
      else if (defaultValue !== undefined) coerced[name] = defaultValue;
      else if (missing !== undefined) fail(cursor, depth + 1, 'missing', missing);
    }
    for (const name in value) {
      if (names.has(name)) continue;
      if (cursor.errors.full) break;
      cursor.keys[depth] = name;
      fail(cursor, depth + 1, 'extra_forbidden', unknown(name));
    }
    return coerced;
  };
}

function compileLeaf(type: GraphQLLeafType): Read {
  const isScalarOnly = isEnumType(type) || isSpecifiedScalarType(type);
  return (value, cursor, depth) => {
    // Their messages would print all of it.
    if (isScalarOnly && typeof value === 'object') return failAsType(cursor, depth, type, value);
    try {
      const coerced = type.parseValue(value);
      return coerced === undefined ? fail(cursor, depth, 'value_error', `Expected type "${type.name}".`) : coerced;
    } catch (error) {
      return fail(cursor, depth, 'value_error', error instanceof Error ? error.message : String(error));
    }
  };
}

function failAsType(cursor: PathCursor, depth: number, type: GraphQLLeafType, value: unknown): undefined {
  const found = Array.isArray(value) ? 'a list' : 'an object';
  return fail(cursor, depth, 'value_error', `${type.name} cannot represent ${found}.`);
}
