import { readdirSync, readFileSync } from 'node:fs';
import {
  type DefinitionNode,
  type DocumentNode,
  extendSchema,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  type InputObjectTypeExtensionNode,
  isExecutableDefinitionNode,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  Source,
} from 'graphql';
import { directiveAt, type InterfaceDirective } from './directives.ts';
import { ContractError } from './errors.ts';

/** What schema/rest says, parsed, beside the graph that it is about. */
export interface ContractText {
  /** The graph with the directives of the contract. */
  readonly schema: GraphQLSchema;
  /** Operations and fragments of all files. */
  readonly document: DocumentNode;
  readonly operations: readonly OperationDefinitionNode[];
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly inputs: readonly InputObjectTypeExtensionNode[];
  readonly about: InterfaceDirective | undefined;
}

const folder = new URL('../../../schema/rest/', import.meta.url);

/** The files of schema/rest, but for the derived schema that is printed beside them. */
export function readSources(): Source[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.graphql') && file !== 'derived.graphql')
    .sort()
    .map(file => new Source(readFileSync(new URL(file, folder), 'utf8'), `schema/rest/${file}`));
}

export function parseSources(graph: GraphQLSchema, sources: readonly Source[]): ContractText {
  const definitions = parseAll(sources);
  const executable = definitions.filter(isExecutableDefinitionNode);
  const inputs = definitions.filter(node => node.kind === Kind.INPUT_OBJECT_TYPE_EXTENSION);
  checkInputs(graph, inputs);
  const operations = executable.filter(node => node.kind === Kind.OPERATION_DEFINITION);
  const fragments = executable.filter(node => node.kind === Kind.FRAGMENT_DEFINITION);
  const schema = extendWith(
    graph,
    definitions.filter(node => !isExecutableDefinitionNode(node)),
  );
  const [extension] = definitions.filter(node => node.kind === Kind.SCHEMA_EXTENSION);
  return {
    schema,
    about: extension && directiveAt(schema, 'interface', extension),
    document: { kind: Kind.DOCUMENT, definitions: executable },
    operations,
    fragments: new Map(fragments.map(fragment => [fragment.name.value, fragment])),
    inputs,
  };
}

function parseAll(sources: readonly Source[]): DefinitionNode[] {
  const definitions: DefinitionNode[] = [];
  const errors: GraphQLError[] = [];
  for (const source of sources) {
    try {
      definitions.push(...parse(source).definitions);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new ContractError(errors);
  return definitions;
}

function checkInputs(graph: GraphQLSchema, inputs: readonly InputObjectTypeExtensionNode[]): void {
  const unknown = inputs.filter(node => !isInputObjectType(graph.getType(node.name.value)));
  if (unknown.length === 0) return;
  throw new ContractError(
    unknown.map(node => new GraphQLError(`The graph has no input type "${node.name.value}".`, { nodes: node })),
  );
}

function extendWith(graph: GraphQLSchema, definitions: readonly DefinitionNode[]): GraphQLSchema {
  try {
    return extendSchema(graph, { kind: Kind.DOCUMENT, definitions });
  } catch (error) {
    // graphql-js joins what it finds in type definitions into one message without places.
    throw new ContractError([error instanceof Error ? error : new Error(String(error))]);
  }
}
