import type { ValidationError } from '@carte/base/errors';
import { isObject } from '@carte/base/json';
import { memoize } from '@carte/base/memoize';
import {
  type ErrorPath,
  fail,
  type Read,
  readElements,
  readInSlices,
  shorten,
  ValidationErrors,
} from '@carte/base/validation';
import type { Variables } from '@carte/operations/execution/compile';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  print,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { didYouMean } from 'graphql/jsutils/didYouMean.js';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import { findVariablePaths } from './input-paths.ts';
import { suggestNewName } from './renamed-fields.ts';

/** Coerces the variables of an operation; returns errors of the request if they are invalid, with the paths of their first uses in the document. */
export type CoerceVariables = (
  operation: OperationDefinitionNode | null | undefined,
  given: Variables,
  document?: DocumentNode,
) => Promise<{ readonly coerced: Variables } | { readonly errors: readonly GraphQLError[] }>;

/** Errors of a response, as many as graphql-js reports; the first of them has the rest in its extensions. */
const maxResponseErrors = 50;

/**
 * Creates the coercion of variables, which happens once for each request: the executor then gets the values with a document whose
 * variables are of the type `coercedType`.
 */
export function createVariableCoercion(
  schema: GraphQLSchema,
  { suggests }: { readonly suggests: boolean },
): CoerceVariables {
  const coercionOf = createCoercions((name, known, type) =>
    suggests ? (suggestNewName(type, name) ?? didYouMean(suggestionList(name, known))) : '',
  );
  const compile = ({ variable, type: typeNode, defaultValue }: VariableDefinitionNode) => {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode);
    // Validation has rejected documents with other types.
    if (!isInputType(type)) throw new Error(`The variable $${name} has no input type`);
    return {
      name,
      coerce: coercionOf(type),
      defaultValue: (defaultValue && valueFromAST(defaultValue, type)) as unknown,
      isRequired: isNonNullType(type),
    };
  };
  const variablesOf = memoize(
    (operation: OperationDefinitionNode) => operation.variableDefinitions?.map(compile) ?? [],
  );
  return async (operation, given, document) => {
    const errors = new ValidationErrors();
    const coerced: Record<string, unknown> = {};
    for (const { name, coerce, defaultValue, isRequired } of operation ? variablesOf(operation) : []) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value !== undefined) coerced[name] = await readInSlices(coerce, value, [name], errors);
      else if (defaultValue !== undefined) coerced[name] = defaultValue;
      else if (isRequired) errors.add([name], 'missing', 'Field required');
    }
    return errors.list.length === 0 ? { coerced } : { errors: toResponseErrors(errors, [operation, given, document]) };
  };
}

/** Ends a message about an unknown name of a type, e.g. with the most similar of the known ones. */
type Suggest = (name: string, known: readonly string[], type: string) => string;

/**
 * Creates the function that compiles a type to the coercion of its values, as the GraphQL specification defines it. Unlike that of graphql-js, the
 * coercion ends at the limit of errors, and yields to the event loop.
 */
function createCoercions(suggest: Suggest): (type: GraphQLInputType) => Read {
  const readers = new Map<GraphQLInputType, Read>();

  function compile(type: GraphQLInputType): Read {
    const known = readers.get(type);
    if (known) return known;
    const nullError = isNonNullType(type) ? `Expected non-nullable type "${type}" not to be null.` : undefined;
    const read: Read = (value, cursor, depth) => {
      if (value !== null && value !== undefined) return readValue(value, cursor, depth);
      return nullError === undefined ? null : fail(cursor, depth, 'value_error', nullError);
    };
    // Before it is compiled, since input types may be recursive.
    readers.set(type, read);
    const readValue = compileValue(type);
    return read;
  }

  function compileValue(type: GraphQLInputType): Read {
    if (isNonNullType(type)) return compile(type.ofType);
    if (isInputObjectType(type)) return compileObject(type, compile, suggest);
    if (!isListType(type)) return compileLeaf(type);
    const readItem = compile(type.ofType);
    // A value that is no list stands for a list of one.
    return (value, cursor, depth) =>
      Array.isArray(value) ? readElements(value, cursor, depth, readItem) : [readItem(value, cursor, depth)];
  }

  return compile;
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
    `Field "${shorten(name)}" is not defined by type "${type.name}".${suggest(name, [...names], type.name)}`;
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
    if (isScalarOnly && typeof value === 'object') {
      const found = Array.isArray(value) ? 'a list' : 'an object';
      return fail(cursor, depth, 'value_error', `${type.name} cannot represent ${found}.`);
    }
    try {
      const coerced = type.parseValue(value);
      return coerced === undefined ? fail(cursor, depth, 'value_error', `Expected type "${type.name}".`) : coerced;
    } catch (error) {
      return fail(cursor, depth, 'value_error', error instanceof Error ? error.message : String(error));
    }
  };
}

type CoercionArguments = Parameters<CoerceVariables>;

function toResponseErrors({ list }: ValidationErrors, [operation, given, document]: CoercionArguments): GraphQLError[] {
  const nodes = new Map(operation?.variableDefinitions?.map(node => [node.variable.name.value, node]));
  const responseErrors = list.slice(0, maxResponseErrors).map(({ loc: [name = '', ...path], type, msg }) => {
    const node = nodes.get(String(name));
    const message =
      node && path.length === 0 && type === 'missing' ? missing(node) : invalid(String(name), path, msg, given);
    return new GraphQLError(message, { nodes: node ?? null, extensions: { code } });
  });
  const [first] = responseErrors;
  const names = list.map(({ loc: [name] }) => String(name));
  const paths = operation && document ? findVariablePaths(names, operation, document) : new Map<string, ErrorPath>();
  const all = list.map(({ loc: [name = '', ...path], type, msg }): ValidationError => {
    return { path: [...(paths.get(String(name)) ?? [name]), ...path], type, message: msg };
  });
  if (first) Object.assign(first.extensions, { errors: all });
  if (list.length > maxResponseErrors) {
    const message = `There are ${list.length} errors in the variables; extensions.errors of the first has them all.`;
    responseErrors.push(new GraphQLError(message, { extensions: { code } }));
  }
  return responseErrors;
}

const code = 'BAD_USER_INPUT';

const missing = ({ variable, type }: VariableDefinitionNode) =>
  `Variable "$${variable.name.value}" of required type "${print(type)}" was not provided.`;

/** As graphql-js words it, but with scalar values alone: it would print a whole object for each of its errors. */
function invalid(name: string, path: readonly (string | number)[], message: string, given: Variables): string {
  const value = valueAt(given[name], path);
  const isScalar = typeof value !== 'object' && value !== undefined;
  const found = isScalar ? ` ${shorten(JSON.stringify(value))}` : '';
  const place = path.length > 0 ? ` at "${[name, ...path.map(key => shorten(String(key)))].join('.')}"` : '';
  return `Variable "$${name}" got invalid value${found}${place}; ${message}`;
}

const valueAt = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (found, key) => (Array.isArray(found) || isObject(found) ? Reflect.get(found, key) : undefined),
    value,
  );

/** The type of variables whose values are coerced already. */
const coercedType = new GraphQLScalarType({ name: '__Coerced', parseValue: value => value });

const coercedTypeNode: NamedTypeNode = {
  kind: Kind.NAMED_TYPE,
  name: { kind: Kind.NAME, value: coercedType.name },
};

/** Makes the type known to an executor, without it being part of the schema. */
export function acceptCoercedVariables(schema: GraphQLSchema): GraphQLSchema {
  const getType = schema.getType.bind(schema);
  return Object.assign(schema, {
    getType: (name: string) => (name === coercedType.name ? coercedType : getType(name)),
  });
}

/** The document for an executor that gets coerced variables. Arguments take the values of variables as they are. */
export function toExecutable({ definitions, ...document }: DocumentNode): DocumentNode {
  return {
    ...document,
    definitions: definitions.map(definition => {
      if (definition.kind !== Kind.OPERATION_DEFINITION || !definition.variableDefinitions?.length) return definition;
      const variableDefinitions = definition.variableDefinitions.map(({ defaultValue: _, ...variable }) => ({
        ...variable,
        type: coercedTypeNode,
      }));
      return { ...definition, variableDefinitions };
    }),
  };
}
