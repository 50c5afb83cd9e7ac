import { type DocumentNode, GraphQLError, type GraphQLSchema, isInputObjectType } from 'graphql';
import { readContract } from './contract/contract.ts';
import { createSet } from './contract/folders.ts';
import { proposeRoute } from './contract/propose.ts';
import type { SetLimits } from './contract/sets.ts';
import { ContractError } from './contract/sources.ts';
import { describeTool, type ToolDescription } from './tools.ts';

/** What an operation would be in a set: its file, and the route and tool that it defines. */
export interface Preview {
  readonly file?: { readonly name: string; readonly text: string };
  readonly errors: readonly string[];
  readonly route?: { readonly method: string; readonly path: string };
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly header?: string | undefined }[];
  readonly tool?: ToolDescription;
}

/** Previews an operation of a document within the limits as a file of a set, with the errors that the start would report. */
export function previewOperation(
  graph: GraphQLSchema,
  { document, operationName }: { readonly document: DocumentNode; readonly operationName?: string | undefined },
  limits: SetLimits,
): Preview {
  let file: { readonly name: string; readonly text: string } | undefined;
  try {
    const isObject = (type: string) => isInputObjectType(graph.getType(type));
    const { name, text } = proposeRoute(document, operationName, isObject);
    file = { name: `${name}.graphql`, text };
    const contract = readContract(graph, createSet('my', [{ path: file.name, text }]), limits);
    const errors = limits.checkCosts(contract);
    if (errors.length > 0) throw new ContractError(errors);
    const [operation] = contract.operations;
    if (!operation) throw new Error(`The set of ${file.name} is empty`);
    const { route, parameters } = operation;
    return {
      file,
      errors: [],
      route: { method: route.method, path: route.path },
      parameters: parameters.map(parameter => ({ name: parameter.name, in: parameter.in, header: parameter.header })),
      tool: describeTool(contract, operation),
    };
  } catch (error) {
    if (error instanceof ContractError) return { ...(file && { file }), errors: error.descriptions };
    if (error instanceof GraphQLError) return { errors: [error.message] };
    throw error;
  }
}
