import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { fail, isObject, type Read } from './cursor.ts';
import { snakeCase } from './names.ts';
import { type Bounds, enumReader, type Source, scalarReader } from './scalars.ts';
import type { ErrorPath, ValidationErrors } from './validation-errors.ts';

export interface ReaderOptions extends Bounds {
  /** `json` unless told. */
  readonly source?: Source;
}

/**
 * Reads what came from outside into a value for a variable of the graph: names become the graph's, unknown fields are
 * dropped, and every error is reported at its place. What it gives back counts only when there were no errors.
 */
export interface Reader {
  read(value: unknown, place: ErrorPath, errors: ValidationErrors): unknown;
}

/** Compiles an input type into its reader; bounds apply to an integer itself, not to what a list or object holds. */
export function compileReader(type: GraphQLInputType, options: ReaderOptions = {}): Reader {
  const read = compile(type, { options, objects: new Map() });
  return { read: (value, place, errors) => read(value, { keys: [...place], errors }, place.length) };
}

interface Compilation {
  readonly options: ReaderOptions;
  /** Readers by type, since input types may refer to themselves. */
  readonly objects: Map<GraphQLInputObjectType, Read>;
}

function compile(type: GraphQLInputType, compilation: Compilation): Read {
  const { source = 'json', ...bounds } = compilation.options;
  if (isNonNullType(type)) return compile(type.ofType, compilation);
  if (isListType(type)) return source === 'json' ? listReader(type.ofType, compilation) : textListReader(type.ofType);
  if (isInputObjectType(type)) return objectReader(type, compilation);
  if (isEnumType(type)) return enumReader(type);
  const read = scalarReader(type, source, bounds);
  if (!read) throw new Error(`There is no reader for the scalar ${type.name}`);
  return read;
}

function listReader(itemType: GraphQLInputType, { objects }: Compilation): Read {
  const readItem = compile(itemType, { options: {}, objects });
  const nullable = !isNonNullType(itemType);
  return (value, at, depth) => {
    if (!Array.isArray(value)) return fail(at, depth, 'list_type', 'Input should be a valid list');
    const result: unknown[] = [];
    for (let index = 0; index < value.length && !at.errors.full; index++) {
      at.keys[depth] = index;
      result.push(nullable && value[index] === null ? null : readItem(value[index], at, depth + 1));
    }
    return result;
  };
}

/** In a URL a list is written with commas. A lone value is reported without an index. */
function textListReader(itemType: GraphQLInputType): Read {
  const readItem = compile(itemType, { options: { source: 'text' }, objects: new Map() });
  return (value, at, depth) => {
    const items = String(value).split(',');
    return items.map((item, index) => {
      at.keys[depth] = index;
      return readItem(item.trim(), at, items.length > 1 ? depth + 1 : depth);
    });
  };
}

function objectReader(type: GraphQLInputObjectType, compilation: Compilation): Read {
  const known = compilation.objects.get(type);
  if (known) return known;
  const fields: { from: string; to: string; required: boolean; read: Read }[] = [];
  const read: Read = (value, at, depth) => {
    if (!isObject(value)) {
      const msg = 'Input should be a valid dictionary or object to extract fields from';
      return fail(at, depth, 'model_attributes_type', msg);
    }
    const result: Record<string, unknown> = {};
    for (const field of fields) {
      const given = Object.hasOwn(value, field.from) ? value[field.from] : undefined;
      at.keys[depth] = field.from;
      if (given === undefined && field.required) fail(at, depth + 1, 'missing', 'Field required');
      else if (field.required || (given !== undefined && given !== null)) {
        result[field.to] = field.read(given, at, depth + 1);
      }
    }
    return result;
  };
  compilation.objects.set(type, read);
  for (const field of Object.values(type.getFields())) {
    fields.push({
      from: snakeCase(field.name),
      to: field.name,
      required: isRequiredInputField(field),
      read: compile(field.type, { options: {}, objects: compilation.objects }),
    });
  }
  return read;
}
