import { Response } from 'fets';
import { useSofa } from 'sofa-api';
import type { Contract, Operation } from './contract/contract.ts';
import type { Variables } from './execution.ts';

/** One request on its way through SOFA, which calls `execute` in its turn. */
export class Call {
  readonly operation: Operation;
  readonly execute: (variables: Variables) => Promise<unknown>;

  constructor(operation: Operation, execute: Call['execute']) {
    this.operation = operation;
    this.execute = execute;
  }
}

/** Sends a call through the handler that SOFA generated for its operation, and gives back the body. */
export type Send = (variables: Variables, call: Call) => Promise<string>;

/**
 * The handlers that SOFA generates from the derived schema, by its documented `execute` hook. Its own HTTP front is not
 * used, and of its routes only those of operations: SOFA adds POST /webhook to every router, and nothing here subscribes.
 */
export function generateHandlers({ schema, operations }: Contract): (operation: Operation) => Send {
  const router = useSofa({
    basePath: '/',
    schema,
    routes: Object.fromEntries(operations.map(operation => [fieldName(operation), routeOf(operation)])),
    context: call => call,
    execute: async ({ contextValue, variableValues }) => {
      if (!(contextValue instanceof Call)) throw new Error('SOFA has lost the call');
      return { data: { [contextValue.operation.name]: await contextValue.execute(variableValues ?? {}) } };
    },
    errorHandler: errors => {
      throw errors[0];
    },
  });
  return operation => {
    const { method, path } = routeOf(operation);
    const entry = router.__routes.find(route => route.method === method && route.path === path);
    if (!entry) throw new Error(`SOFA made no route for ${operation.name}`);
    return sendThrough(entry.handler);
  };
}

const fieldName = ({ kind, name }: Operation) => `${kind === 'query' ? 'Query' : 'Mutation'}.${name}`;

const routeOf = ({ route: { method, path } }: Operation) => ({ method, path: colonPath(path) });

/** `{name}` in the documentation's way, `:name` in SOFA's and Fastify's. */
export const colonPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

function sendThrough(handler: unknown): Send {
  if (typeof handler !== 'function') throw new Error('SOFA made a route without a handler');
  return async (variables, call) => {
    // SOFA takes a variable from `params` before it looks anywhere else, so all of them go there, already read.
    const response: unknown = await handler({ url: '', params: variables, body: null }, call);
    if (!(response instanceof Response)) throw new Error(`SOFA gave no answer to ${call.operation.name}`);
    return response.text();
  };
}
