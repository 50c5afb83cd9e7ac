import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { isObject } from './json.ts';
import { snakeCase } from './names.ts';
import { type Bounds, enumReader, type Source, scalarReader } from './scalars.ts';
import {
  type ErrorPath,
  fail,
  type Read,
  readElements,
  readInSlices,
  type ValidationErrors,
} from './validation-errors.ts';

export interface ReaderOptions extends Bounds {
  /** Default: `json`. */
  readonly source?: Source;
}

/**
 * Validates a value of a request and converts it to a variable of the graph: snake_case names become the graph's, unknown
 * fields are dropped, and every error is added with its path. The result is valid only if no error was added.
 */
export interface Reader {
  read(value: unknown, path: ErrorPath, errors: ValidationErrors): unknown;
  /** The same for a large value: yields to the event loop between the elements of long lists. */
  readInSlices(value: unknown, path: ErrorPath, errors: ValidationErrors): Promise<unknown>;
}

/** Compiles an input type into a reader; bounds apply to the type itself, not to elements or fields of it. */
export function compileReader(type: GraphQLInputType, options: ReaderOptions = {}): Reader {
  const read = compile(type, { options, objects: new Map() });
  return {
    read: (value, path, errors) => read(value, { keys: [...path], errors }, path.length),
    readInSlices: (value, path, errors) => readInSlices(read, value, path, errors),
  };
}

interface Compilation {
  readonly options: ReaderOptions;
  /** Readers by type, since input types may be recursive. */
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
  const readElement: Read = isNonNullType(itemType)
    ? readItem
    : (value, cursor, depth) => (value === null ? null : readItem(value, cursor, depth));
  return (value, cursor, depth) => {
    if (!Array.isArray(value)) return fail(cursor, depth, 'list_type', 'Input should be a valid list');
    return readElements(value, cursor, depth, readElement);
  };
}

/** Reads the comma-separated list of a URL; errors of a single value have no index. */
function textListReader(itemType: GraphQLInputType): Read {
  const readItem = compile(itemType, { options: { source: 'text' }, objects: new Map() });
  return (value, cursor, depth) => {
    const items = String(value).split(',');
    return items.map((item, index) => {
      cursor.keys[depth] = index;
      return readItem(item.trim(), cursor, items.length > 1 ? depth + 1 : depth);
    });
  };
}

function objectReader(type: GraphQLInputObjectType, compilation: Compilation): Read {
  const known = compilation.objects.get(type);
  if (known) return known;
  const fields: { from: string; to: string; required: boolean; read: Read }[] = [];
  const read: Read = (value, cursor, depth) => {
    if (!isObject(value)) {
      const msg = 'Input should be a valid dictionary or object to extract fields from';
      return fail(cursor, depth, 'model_attributes_type', msg);
    }
    const result: Record<string, unknown> = {};
    for (const field of fields) {
      const input = Object.hasOwn(value, field.from) ? value[field.from] : undefined;
      cursor.keys[depth] = field.from;
      if (input === undefined && field.required) fail(cursor, depth + 1, 'missing', 'Field required');
      else if (field.required || (input !== undefined && input !== null)) {
        result[field.to] = field.read(input, cursor, depth + 1);
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
