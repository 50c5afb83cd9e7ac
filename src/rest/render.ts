import type { GraphQLSchema } from 'graphql';
import { compileOperation, type Variables } from '../execution/compile.ts';
import { concatenate, toBuffers } from '../execution/json-writer.ts';
import { runAtOnce } from '../scheduling/time-slice.ts';
import { type Contract, rootFieldOf } from './contract/contract.ts';

/** Renders the body of a route outside of a request; null where the route responds with 404. */
export type RenderBody = (variables: Variables, context: unknown) => Promise<Buffer | null>;

export function compileBody(graph: GraphQLSchema, contract: Contract, operationName: string): RenderBody {
  const operation = contract.operations.find(({ name }) => name === operationName);
  if (!operation) throw new Error(`schema/rest has no operation ${operationName}`);
  const run = compileOperation(graph, operation, rootFieldOf(contract, operation).type);
  return async (variables, context) => {
    const result = await run(variables, context);
    return result && runAtOnce(concatenate(toBuffers(result.body)));
  };
}
