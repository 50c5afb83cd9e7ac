import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  separateOperations,
  type TypeNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { readContract } from './contract/contract.ts';
import { toWords, wordBreak } from './contract/descriptions.ts';
import { hasDirective } from './contract/directives.ts';
import { createSet } from './contract/folders.ts';
import { ContractError, rejectErrors, type SetLimits } from './contract/sources.ts';
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
  let file: Preview['file'];
  try {
    file = proposeFile(graph, document, operationName);
    const contract = readContract(graph, createSet('my', [{ path: file.name, text: file.text }]), limits);
    rejectErrors(limits.checkCosts(contract));
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

/** Variables that say how much is loaded, and so need a range. */
const sizes = /^(?:first|last|limit|page_?size)$/i;

/**
 * Proposes a route and a tool for an operation of a document: required ids are in the path, and the other variables in the query string, or in
 * the body of a mutation and where they are objects. What the operation has of this is left as it is.
 */
function proposeFile(graph: GraphQLSchema, document: DocumentNode, operationName: string | undefined) {
  const operations = document.definitions.filter(node => node.kind === Kind.OPERATION_DEFINITION);
  const found = operations.find(({ name }) => operationName === undefined || name?.value === operationName);
  if (!found) throw new GraphQLError(`The document has no operation ${operationName ?? ''}`.trim());
  const name = found.name?.value ?? 'myOperation';
  const added = [
    ...(hasDirective(found, 'route') ? [] : [routeOf(graph, found, name)]),
    ...(hasDirective(found, 'tool') || found.operation === 'mutation' ? [] : ['@tool']),
  ];
  const proposed = visit(separateOperations(document)[found.name?.value ?? ''] ?? document, {
    OperationDefinition: node => ({
      ...node,
      name: { kind: Kind.NAME, value: name },
      directives: [...(node.directives ?? []), ...(parseOperation(`query ${added.join(' ')} { a }`)?.directives ?? [])],
    }),
    VariableDefinition: { leave: withRange },
  });
  return { name: `${name}.graphql`, text: `${print(proposed)}\n` };
}

function routeOf(
  graph: GraphQLSchema,
  { operation, selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
  name: string,
): string {
  const [root] = selectionSet.selections;
  const noun = root?.kind === Kind.FIELD ? root.name.value : name;
  const inPath = variableDefinitions.filter(isRequiredId).map(({ variable }) => `/{${variable.name.value}}`);
  const isObject = ({ type }: VariableDefinitionNode) => isInputObjectType(graph.getType(namedType(type)));
  const hasBody = operation === 'mutation' || variableDefinitions.some(isObject);
  const path = `/my/${kebabCase(noun)}${inPath.join('')}`;
  return `@route(${hasBody ? 'method: POST, ' : ''}path: "${path}", summary: "${toWords(name)}")`;
}

const kebabCase = (name: string) => name.replace(wordBreak, '-').toLowerCase();

const isRequiredId = ({ type, defaultValue }: VariableDefinitionNode) =>
  type.kind === Kind.NON_NULL_TYPE && namedType(type) === 'ID' && type.type.kind === Kind.NAMED_TYPE && !defaultValue;

const namedType = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type));

function withRange(node: VariableDefinitionNode): VariableDefinitionNode {
  const { variable, type, directives = [] } = node;
  if (!sizes.test(variable.name.value) || namedType(type) !== 'Int' || directives.length > 0) return node;
  return { ...node, directives: range };
}

const parseOperation = (text: string) => parse(text).definitions.find(node => node.kind === Kind.OPERATION_DEFINITION);

const range =
  parseOperation('query ($a: Int @range(min: 1, max: 100)) { a }')?.variableDefinitions?.[0]?.directives ?? [];
