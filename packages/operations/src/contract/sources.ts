import { OperatorError } from '@carte/base/errors';
import { memoize } from '@carte/base/memoize';
import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  extendSchema,
  GraphQLDeprecatedDirective,
  GraphQLError,
  GraphQLSchema,
  getLocation,
  type InputObjectTypeDefinitionNode,
  isExecutableDefinitionNode,
  isInputObjectType,
  Kind,
  type Source,
  separateOperations,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';
import { fragmentsOf } from '../execution/selected-fields.ts';
import { parseDocument } from '../limits/parse-document.ts';
import type { Contract } from './contract.ts';
import { interfaceOf } from './directives.ts';
import { directivesPath } from './folders.ts';

/** The parsed files of a set. */
export type ContractSources = ReturnType<typeof parseSources>;

/** Limits on sets that do not come with the service: on what others have written. */
export interface SetLimits {
  /** Checks an operation with its fragments before anything walks it, by the limits of documents at `/graphql`. */
  readonly check: (document: DocumentNode, operationName: string | undefined) => readonly GraphQLError[];
  /** Whether the service keeps the paths that begin with a segment to itself. */
  readonly isReserved: (firstSegment: string) => boolean;
  /** Checks a valid set further, for what its parameters let a caller request; those that come with the service, too. */
  readonly checkCosts: (contract: Contract) => readonly GraphQLError[];
}

/** For the sets that come with the service. */
export const unlimited: SetLimits = { check: () => [], isReserved: () => false, checkCosts: () => [] };

/** Reports an error of the contract at a node. */
export type Report = (message: string, node: ASTNode) => void;

/** Lists every error in the files of operations with its file and line; the service does not start with one. */
export class ContractError extends OperatorError {
  readonly errors: readonly Error[];
  /** Each with its file and line. */
  readonly descriptions: readonly string[];

  constructor(errors: readonly Error[]) {
    const descriptions = errors.map(describe);
    super(`The REST contract has errors:\n  ${descriptions.join('\n  ')}`);
    this.errors = errors;
    this.descriptions = descriptions;
  }
}

function describe(error: Error): string {
  if (!(error instanceof GraphQLError)) return error.message;
  const ofNodes = (error.nodes ?? []).flatMap(({ loc }) =>
    loc ? [`${loc.source.name}:${getLocation(loc.source, loc.start).line}`] : [],
  );
  const ofSyntax = error.source && error.locations ? [`${error.source.name}:${error.locations[0]?.line}`] : [];
  const [first, ...others] = ofNodes.length > 0 ? ofNodes : ofSyntax;
  const also = others.length > 0 ? ` (see ${others.join(', ')})` : '';
  return `${first === undefined ? '' : `${first}: `}${error.message}${also}`;
}

/** Throws a `ContractError` if there are errors. */
export function rejectErrors(errors: readonly Error[]): void {
  if (errors.length > 0) throw new ContractError(errors);
}

export function parseSources(graph: GraphQLSchema, sources: readonly Source[], limits: SetLimits) {
  const parsed = sources.map(source => parseDocument(source));
  rejectErrors(parsed.filter(result => result instanceof GraphQLError));
  const definitions = parsed.flatMap(result => ('definitions' in result ? result.definitions : []));
  const document = { kind: Kind.DOCUMENT, definitions: definitions.filter(isExecutableDefinitionNode) } as const;
  const separate = Object.entries(separateOperations(document));
  rejectErrors(separate.flatMap(([name, operation]) => limits.check(operation, name || undefined)));
  rejectErrors([...checkDefinitions(graph, definitions), ...checkInterfaces(definitions)]);
  const schema = extendGraph(
    graph,
    definitions.filter(node => !isExecutableDefinitionNode(node)),
  );
  const ownInputs = definitions.filter(isOwnInput);
  for (const { name } of ownInputs) {
    const type = schema.getType(name.value);
    if (type) type.extensions = { ...type.extensions, isOwn: true };
  }
  return {
    /** The graph, extended by the directives of the contract. */
    schema,
    info: interfaceOf(schema),
    /** The operations and fragments of all files. */
    document,
    operations: document.definitions.filter(node => node.kind === Kind.OPERATION_DEFINITION),
    fragments: fragmentsOf(document),
    ownInputs,
    inputs: definitions.filter(node => node.kind === Kind.INPUT_OBJECT_TYPE_EXTENSION),
  };
}

const isOwnInput = (node: DefinitionNode): node is InputObjectTypeDefinitionNode =>
  node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && node.loc?.source.name !== directivesPath;

/** Files of a set define nothing but operations, fragments and input types; other types and directives are those of the graph and of directives.graphql. */
function* checkDefinitions(graph: GraphQLSchema, definitions: readonly DefinitionNode[]): Generator<GraphQLError> {
  for (const node of definitions) {
    if (isExecutableDefinitionNode(node) || node.loc?.source.name === directivesPath) continue;
    if (node.kind === Kind.INPUT_OBJECT_TYPE_EXTENSION) {
      const name = node.name.value;
      if (!isInputObjectType(graph.getType(name))) yield errorAt(node, `The graph has no input type "${name}".`);
      if (node.fields?.length) yield errorAt(node, `The fields of ${name} are those of the graph; remove them here.`);
    } else if (isOwnInput(node)) {
      const name = node.name.value;
      if (graph.getType(name)) yield errorAt(node, `The graph has a type "${name}"; rename this one.`);
    } else if (node.kind !== Kind.SCHEMA_EXTENSION || node.operationTypes?.length) {
      const allowed = 'operations, fragments, input types, "extend schema @interface" and "extend input … @documented"';
      yield errorAt(node, `A file of a set has ${allowed} alone; remove this definition.`);
    }
  }
}

function* checkInterfaces(definitions: readonly DefinitionNode[]): Generator<GraphQLError> {
  const [first, ...others] = definitions
    .filter(node => node.kind === Kind.SCHEMA_EXTENSION)
    .flatMap(({ directives = [] }) => directives.filter(({ name }) => name.value === 'interface'));
  for (const other of others)
    yield errorAt([other, ...(first ? [first] : [])], 'A set has one @interface; remove one.');
}

const errorAt = (nodes: ASTNode | readonly ASTNode[], message: string) => new GraphQLError(message, { nodes });

/** The graph with the directives of routes, by their text: the sets of another process may have an older one. */
const annotatedGraphs = memoize((_graph: GraphQLSchema) => new Map<string, GraphQLSchema>());

function extendGraph(graph: GraphQLSchema, definitions: readonly DefinitionNode[]): GraphQLSchema {
  const isShared = ({ loc }: DefinitionNode) => loc?.source.name === directivesPath;
  const shared = definitions.filter(isShared);
  const text = shared[0]?.loc?.source.body ?? '';
  const graphs = annotatedGraphs(graph);
  const annotated = graphs.get(text) ?? extendBy(withoutRedeclared(graph, shared), shared);
  graphs.set(text, annotated);
  return extendBy(
    annotated,
    definitions.filter(node => !isShared(node)),
  );
}

/** Without the directive of GraphQL that the shared definitions have for operations, too: a schema has one of a name. */
function withoutRedeclared(graph: GraphQLSchema, shared: readonly DefinitionNode[]): GraphQLSchema {
  const { name } = GraphQLDeprecatedDirective;
  if (!shared.some(node => node.kind === Kind.DIRECTIVE_DEFINITION && node.name.value === name)) return graph;
  const config = graph.toConfig();
  return new GraphQLSchema({ ...config, directives: config.directives.filter(directive => directive.name !== name) });
}

function extendBy(graph: GraphQLSchema, definitions: readonly DefinitionNode[]): GraphQLSchema {
  if (definitions.length === 0) return graph;
  const document = { kind: Kind.DOCUMENT, definitions } as const;
  rejectErrors(validateSDL(document, graph));
  const schema = extendValid(graph, document);
  // Rules for type definitions do not look at the values of arguments.
  rejectErrors(validate(schema, document, [ValuesOfCorrectTypeRule]));
  return schema;
}

function extendValid(graph: GraphQLSchema, document: DocumentNode): GraphQLSchema {
  const extensions = document.definitions.filter(node => node.kind === Kind.SCHEMA_EXTENSION);
  // Without types of its own, a set cannot make the graph invalid.
  const assumeValid = !document.definitions.some(isOwnInput);
  if (extensions.length < document.definitions.length)
    return extendSchema(graph, document, { assumeValidSDL: true, assumeValid });
  // `extendSchema` would make all types anew.
  const config = graph.toConfig();
  return new GraphQLSchema({ ...config, extensionASTNodes: [...config.extensionASTNodes, ...extensions], assumeValid });
}
