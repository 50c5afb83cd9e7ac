import type { FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { compileArguments } from './arguments.ts';
import { type Contract, type Operation, rootFieldOf } from './contract/contract.ts';
import { namesInPath } from './contract/parameters.ts';
import { Problem } from './errors.ts';
import { isNamed, tagOf, tagOfBody } from './etag.ts';
import { compileRun, valueAt } from './execution.ts';
import { compileShape } from './shape.ts';
import { Call, generateHandlers } from './sofa.ts';

interface Answer {
  readonly status: 200 | 304;
  readonly tag: string | undefined;
  readonly body: string | undefined;
}

/** An operation, ready to answer requests from callers who have been let in. */
export interface Endpoint {
  readonly operation: Operation;
  readonly answer: (request: FastifyRequest, createContext: () => unknown) => Promise<Answer>;
}

export function createEndpoints(contract: Contract, graph: GraphQLSchema): Endpoint[] {
  const handlerOf = generateHandlers(contract);
  return contract.operations.map(operation => {
    const readArguments = compileArguments(operation, contract.operations);
    const probe = operation.probe && compileRun(graph, operation, operation.probe);
    const run = compileRun(graph, operation, operation.document);
    const shape = compileShape(rootFieldOf(contract, operation).type);
    const send = handlerOf(operation);
    const isRead = operation.route.method === 'GET';
    return {
      operation,
      async answer(request, createContext) {
        const variables = readArguments(request);
        const context = createContext();
        const known = isRead ? request.headers['if-none-match'] : undefined;
        if (known !== undefined && probe) {
          const tag = tagIn(operation, await probe(variables, context));
          if (tag !== undefined && isNamed(tag, known)) return { status: 304, tag, body: undefined };
        }
        let data: unknown;
        const body = await send(
          variables,
          new Call(operation, async checked => {
            data = await run(checked, context);
            return shape(bodyIn(operation, data));
          }),
        );
        const tag = tagIn(operation, data) ?? (isRead ? tagOfBody(body) : undefined);
        const unchanged = known !== undefined && tag !== undefined && isNamed(tag, known);
        return unchanged ? { status: 304, tag, body: undefined } : { status: 200, tag, body };
      },
    };
  });
}

function bodyIn(operation: Operation, data: unknown): unknown {
  return valueAt(data, operation.body) ?? absent(operation);
}

function tagIn(operation: Operation, data: unknown): string | undefined {
  if (operation.etags.length === 0) return undefined;
  const values = operation.etags.map(keys => valueAt(data, keys) ?? absent(operation));
  return tagOf(values, operation.hash);
}

/** In the same words for what does not exist and for what the key does not reach. */
function absent({ route }: Operation): never {
  const names = namesInPath(route.path).join(', ');
  throw new Problem(404, `Nothing with this ${names} is within the reach of the API key.`);
}
