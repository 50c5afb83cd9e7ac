import {
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  separateOperations,
  type TypeNode,
  type VariableDefinitionNode,
} from 'graphql';
import { toWords } from './descriptions.ts';

/** A file of a set that publishes an operation. */
export interface Proposal {
  readonly name: string;
  readonly text: string;
}

/** Variables that say how much is loaded, and so need a range. */
const sizes = /^(?:first|last|limit|page_?size)$/i;

/**
 * Proposes a route and a tool for an operation of a document: required ids are in the path, and the other variables in the query string, or in
 * the body of a mutation and where they are objects. What the operation has of this is left as it is.
 */
export function proposeRoute(
  document: DocumentNode,
  operationName: string | undefined,
  isObject: (type: string) => boolean,
): Proposal {
  const operations = document.definitions.filter(node => node.kind === Kind.OPERATION_DEFINITION);
  const found = operations.find(({ name }) => operationName === undefined || name?.value === operationName);
  if (!found) throw new GraphQLError(`The document has no operation ${operationName ?? ''}`.trim());
  const name = found.name?.value ?? 'myOperation';
  const own = separateOperations(document)[found.name?.value ?? ''] ?? document;
  const directives = [
    ...(found.directives ?? []),
    ...(has(found, 'route') ? [] : directivesIn(routeOf(found, name, isObject))),
    ...(has(found, 'tool') || found.operation === 'mutation' ? [] : directivesIn('@tool')),
  ];
  const proposed: OperationDefinitionNode = {
    ...found,
    name: { kind: Kind.NAME, value: name },
    directives,
    variableDefinitions: (found.variableDefinitions ?? []).map(withRange),
  };
  return { name, text: `${print(replace(own, found, proposed))}\n` };
}

const replace = (document: DocumentNode, old: unknown, node: OperationDefinitionNode): DocumentNode => ({
  ...document,
  definitions: document.definitions.map(definition => (definition === old ? node : definition)),
});

const has = ({ directives = [] }: OperationDefinitionNode, name: string) =>
  directives.some(candidate => candidate.name.value === name);

function routeOf(
  { operation, selectionSet, variableDefinitions = [] }: OperationDefinitionNode,
  name: string,
  isObject: (type: string) => boolean,
): string {
  const [root] = selectionSet.selections;
  const noun = root?.kind === Kind.FIELD ? root.name.value : name;
  const inPath = variableDefinitions.filter(isRequiredId).map(({ variable }) => `/{${variable.name.value}}`);
  const hasBody = operation === 'mutation' || variableDefinitions.some(({ type }) => isObject(namedType(type)));
  const path = `/my/${kebabCase(noun)}${inPath.join('')}`;
  return `@route(${hasBody ? 'method: POST, ' : ''}path: "${path}", summary: "${toWords(name)}")`;
}

const kebabCase = (name: string) => name.replace(/(?<=[a-z\d])(?=[A-Z])|_/g, '-').toLowerCase();

const isRequiredId = ({ type, defaultValue }: VariableDefinitionNode) =>
  type.kind === Kind.NON_NULL_TYPE && namedType(type) === 'ID' && type.type.kind === Kind.NAMED_TYPE && !defaultValue;

const namedType = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type));

function withRange(node: VariableDefinitionNode): VariableDefinitionNode {
  const { variable, type, directives = [] } = node;
  if (!sizes.test(variable.name.value) || namedType(type) !== 'Int' || directives.length > 0) return node;
  return { ...node, directives: range };
}

const operationIn = (text: string) => parse(text).definitions.find(node => node.kind === Kind.OPERATION_DEFINITION);

const directivesIn = (text: string): readonly DirectiveNode[] => operationIn(`query ${text} { a }`)?.directives ?? [];

const range = operationIn('query ($a: Int @range(min: 1, max: 100)) { a }')?.variableDefinitions?.[0]?.directives ?? [];
