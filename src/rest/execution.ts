import type { DocumentNode, GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { InvalidInput, Refused } from '../errors.ts';
import type { Place } from '../input/faults.ts';
import type { Operation } from './contract/contract.ts';
import { unprocessable } from './errors.ts';
import { placeOf } from './places.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** Runs a document of an operation. Variables must have passed a reader: what is compiled trusts them. */
export type Run = (variables: Variables, context: unknown) => Promise<unknown>;

export function compileRun(graph: GraphQLSchema, operation: Operation, document: DocumentNode): Run {
  const compiled = compileQuery(graph, document, operation.name);
  if (!isCompiledQuery(compiled)) {
    throw new Error(`${operation.name} does not compile: ${compiled.errors?.map(error => error.message).join('; ')}`);
  }
  return async (variables, context) => {
    const { data, errors } = await compiled.query(undefined, context, variables);
    if (errors && errors.length > 0) {
      throw refusalOf(
        operation,
        errors.map(error => ({ cause: error.originalError ?? error, field: error.path ?? [] })),
      );
    }
    return data;
  };
}

/** What went wrong in a field, which keys lead to. */
export interface Failure {
  readonly cause: unknown;
  readonly field: Place;
}

/** One error for all that went wrong. A bug comes first: with it, nothing else that is said can be relied on. */
export function refusalOf(operation: Operation, causes: readonly Failure[]): unknown {
  const bug = causes.find(({ cause }) => !(cause instanceof Refused));
  if (bug) return bug.cause;
  const faults = causes.flatMap(({ cause, field }) =>
    cause instanceof InvalidInput
      ? cause.faults.map(({ path, message, type }) => ({ loc: placeOf(operation, field, path), msg: message, type }))
      : [],
  );
  return faults.length > 0 ? unprocessable(faults) : causes[0]?.cause;
}

/** The value that keys lead to; null when there is nothing on the way. */
export function valueAt(data: unknown, keys: readonly string[]): unknown {
  let value = data;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return null;
    value = Reflect.get(value, key);
  }
  return value ?? null;
}
