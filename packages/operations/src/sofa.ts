import { memoize } from '@carte/base/memoize';
import { createRouter, type OnRouteHook } from 'fets';
import { GraphQLObjectType, GraphQLSchema, Kind } from 'graphql';
import { useSofa } from 'sofa-api';
import type { Contract, Operation } from './contract/contract.ts';
import { colonPath } from './contract/parameters.ts';
import type { Variables } from './execution/compile.ts';

/** A route that SOFA generated from a field of the derived schema. */
export interface SofaRoute {
  readonly operation: Operation;
  readonly method: string;
  /** With `:name` for a path parameter, as in Fastify. */
  readonly path: string;
  readonly tags: readonly string[];
  /** The OpenAPI schema of the body. */
  readonly bodySchema: object;
  /** Calls SOFA's handler, which calls `execute` with the variables and the request, and resolves to its result. */
  readonly handle: <Request, Result>(
    execute: Execute<Request, Result>,
    variables: Variables,
    request: Request,
  ) => Promise<Result>;
}

type Execute<Request, Result> = (variables: Variables, request: Request) => Promise<Result>;

/**
 * Generates the routes of the derived schema with SOFA, once for a contract. Its handlers are called with validated variables, because its own HTTP server
 * reports one error at a time and lets the query string override the body (docs/decisions/0001).
 */
export const generateRoutes = memoize(({ schema, operations }: Contract): readonly SofaRoute[] => {
  const sofa = useSofa({
    basePath: '/',
    schema: schemaOfRoutes(schema),
    routes: Object.fromEntries(operations.map(operation => [fieldOf(operation), routeOf(operation)])),
    execute: async ({ variableValues, contextValue }) => {
      if (!(contextValue instanceof Call)) throw new Error('SOFA has executed an operation without a call');
      const variables = contextValue.variables ?? variableValues ?? {};
      contextValue.result = await contextValue.execute(variables, contextValue.restRequest);
      // SOFA serialises this to a Response, which cannot carry bytes; the result stays on the context value.
      return { data: { [contextValue.name]: null } };
    },
    errorHandler: ([error]) => {
      throw error;
    },
  });
  const byRoute = new Map(operations.map(operation => [keyOf(routeOf(operation)), operation]));
  const routes: SofaRoute[] = [];
  const onRoute: OnRouteHook<unknown> = ({ route: { method = '', path, tags = [], schemas, handler } }) => {
    const operation = byRoute.get(keyOf({ method, path }));
    // Any other route is SOFA's POST /webhook, which would call any URL that it is given.
    if (!operation) return;
    const bodySchema = schemas?.responses?.[200] ?? {};
    routes.push({ operation, method, path, tags, bodySchema, handle: compileHandle(handler, operation) });
  };
  createRouter({ landingPage: false, plugins: [{ onRoute }] }).use(sofa);
  // In the order of the files; SOFA puts queries before mutations.
  return routes.sort((a, b) => operations.indexOf(a.operation) - operations.indexOf(b.operation));
});

/**
 * SOFA expects a query type, which a set of mutations does not have, and messages to webhooks are not its subscriptions. It reads descriptions of parameters, which are not used here, from the syntax
 * tree of a root type; where there is none, it prints and parses the type for each parameter.
 */
function schemaOfRoutes(schema: GraphQLSchema): GraphQLSchema {
  const query = schema.getQueryType() ?? new GraphQLObjectType({ name: 'Query', fields: {} });
  const isComplete = schema.getQueryType() && !schema.getSubscriptionType();
  const complete = isComplete ? schema : new GraphQLSchema({ ...schema.toConfig(), query, subscription: null });
  for (const type of [complete.getQueryType(), complete.getMutationType()]) {
    if (type)
      type.astNode = { kind: Kind.OBJECT_TYPE_DEFINITION, name: { kind: Kind.NAME, value: type.name }, fields: [] };
  }
  return complete;
}

const fieldOf = ({ kind, name }: Operation) => `${kind === 'query' ? 'Query' : 'Mutation'}.${name}`;
const routeOf = ({ route: { method, path, tags } }: Operation) => ({ method, path: colonPath(path), tags: [...tags] });
const keyOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`;

/** The context value of one call of a handler. */
class Call<Request, Result> {
  readonly name: string;
  readonly execute: Execute<Request, Result>;
  readonly restRequest: Request;
  /** Of a body in an own shape, or values of callers: SOFA knows these, and not what they are mapped to. */
  readonly variables: Variables | undefined;
  result: Result | undefined;
  /** Assigned by SOFA; declared, so that all calls have one hidden class. */
  request: unknown;

  constructor(
    { name, parameters }: Operation,
    variables: Variables,
    execute: Execute<Request, Result>,
    restRequest: Request,
  ) {
    this.name = name;
    this.variables = parameters.some(({ mapped, values }) => mapped || values) ? variables : undefined;
    this.execute = execute;
    this.restRequest = restRequest;
  }
}

function compileHandle(handler: unknown, operation: Operation): SofaRoute['handle'] {
  const { name } = operation;
  if (typeof handler !== 'function') throw new Error(`SOFA has generated no handler for ${name}`);
  return async (execute, variables, request) => {
    const call = new Call(operation, variables, execute, request);
    // SOFA looks up a variable in `params`, then in the query string, then in the body; the latter two are empty.
    await handler({ url: '', params: variables, body: null }, call);
    if (call.result === undefined) throw new Error(`SOFA has not executed ${name}`);
    return call.result;
  };
}
