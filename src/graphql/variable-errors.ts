import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  isInputType,
  isNonNullType,
  typeFromAST,
} from 'graphql';
import type { ValidationError } from '../errors.ts';
import { maxErrors } from '../input/validation-errors.ts';

export interface VariablesOptions {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Adds `extensions.errors` to a response whose variables are invalid, so that clients get every error with its path, as they do for
 * those of resolvers. graphql-js has paths in its messages only, and stops at 50 of them.
 */
export function withVariableErrors(
  formatted: readonly GraphQLFormattedError[],
  options: VariablesOptions,
): readonly GraphQLFormattedError[] {
  const [first, ...others] = formatted;
  if (!first || !isOfVariables(first)) return formatted;
  const errors = findVariableErrors(options);
  return errors.length > 0 ? [{ ...first, extensions: { ...first.extensions, errors } }, ...others] : formatted;
}

/** An error before execution has no path; of those, only errors of variables have this code. */
function isOfVariables({ path, extensions }: GraphQLFormattedError): boolean {
  return path === undefined && extensions?.code === 'BAD_USER_INPUT' && extensions.errors === undefined;
}

function findVariableErrors({ schema, document, operationName, variables }: VariablesOptions): ValidationError[] {
  const found: ValidationError[] = [];
  for (const { variable, type: typeNode, defaultValue } of getOperationAST(document, operationName)
    ?.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode);
    if (!isInputType(type)) continue;
    const value = variables[name];
    if (value === undefined) {
      if (isNonNullType(type) && !defaultValue)
        found.push({ path: [name], type: 'missing', message: 'Field required' });
      continue;
    }
    coerceInputValue(value, type, (path, _value, { message }) => {
      if (found.length < maxErrors) found.push(toValidationError([name, ...path], message));
    });
  }
  return found;
}

/** Errors about a field of an object have the path of the object; clients want that of the field. */
function toValidationError(path: readonly (string | number)[], message: string): ValidationError {
  const [, field, rule] = /^Field "(\w+)" (of required type|is not defined)/.exec(message) ?? [];
  if (field === undefined) return { path, type: 'value_error', message };
  return { path: [...path, field], type: rule === 'is not defined' ? 'extra_forbidden' : 'missing', message };
}
