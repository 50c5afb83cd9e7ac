import {
  type DocumentNode,
  GraphQLError,
  GraphQLScalarType,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
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
import type { ValidationError } from '../errors.ts';
import { createCoercions } from '../input/coercion.ts';
import { isObject } from '../input/json.ts';
import { shorten, ValidationErrors } from '../input/validation-errors.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** Coerces the variables of an operation; returns errors of the request if they are invalid. */
export type CoerceVariables = (
  operation: OperationDefinitionNode | null | undefined,
  given: Variables,
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
  const coercionOf = createCoercions((name, known) => (suggests ? didYouMean(suggestionList(name, known)) : ''));
  return async (operation, given) => {
    const errors = new ValidationErrors();
    const coerced: Record<string, unknown> = {};
    for (const definition of operation?.variableDefinitions ?? []) {
      const name = definition.variable.name.value;
      const type = typeFromAST(schema, definition.type);
      // Validation has rejected documents with other types.
      if (!isInputType(type)) throw new Error(`The variable $${name} has no input type`);
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value !== undefined) coerced[name] = await coercionOf(type)(value, [name], errors);
      else if (definition.defaultValue) coerced[name] = valueFromAST(definition.defaultValue, type);
      else if (isNonNullType(type)) errors.add([name], 'missing', 'Field required');
    }
    return errors.list.length === 0 ? { coerced } : { errors: toResponseErrors(errors, operation, given) };
  };
}

function toResponseErrors(
  { list }: ValidationErrors,
  operation: OperationDefinitionNode | null | undefined,
  given: Variables,
): GraphQLError[] {
  const nodes = new Map(operation?.variableDefinitions?.map(node => [node.variable.name.value, node]));
  const responseErrors = list.slice(0, maxResponseErrors).map(({ loc: [name = '', ...path], type, msg }) => {
    const node = nodes.get(String(name));
    const message =
      node && path.length === 0 && type === 'missing' ? missing(node) : invalid(String(name), path, msg, given);
    return new GraphQLError(message, { nodes: node ?? null, extensions: { code } });
  });
  const [first] = responseErrors;
  const all = list.map(({ loc, type, msg }): ValidationError => ({ path: loc, type, message: msg }));
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
  const pathText = path.map(key => (typeof key === 'number' ? `[${key}]` : `.${shorten(key)}`)).join('');
  return `Variable "$${name}" got invalid value${found}${pathText && ` at "${name}${pathText}"`}; ${message}`;
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
