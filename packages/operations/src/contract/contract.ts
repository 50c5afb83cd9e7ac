import { hash } from 'node:crypto';
import { memoize } from '@carte/base/memoize';
import {
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLObjectType,
  GraphQLSchema,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  Source,
  separateOperations,
  specifiedRules,
  type ValidationRule,
  validate,
  visit,
} from 'graphql';
import { keyOf } from '../execution/selected-fields.ts';
import { camelCase } from '../input/names.ts';
import { isAboutOmission } from './descriptions.ts';
import {
  type Deprecation,
  directiveAt,
  hasDirective,
  type InterfaceDirective,
  type RouteDirective,
  routeAt,
  type ToolDirective,
  type WebhookDirective,
} from './directives.ts';
import { checkExamples } from './examples.ts';
import type { SetFiles } from './folders.ts';
import { createInputTypes, ownExtensions } from './inputs.ts';
import { kindOfValues } from './mapped-values.ts';
import { argumentNames, createOutputTypes, describeOutput } from './outputs.ts';
import { defaultOf, type Parameter } from './parameters.ts';
import { findResponse, last, printBody, type ResponsePaths } from './response.ts';
import {
  BodyFieldsRule,
  DeprecationRule,
  DistinctRoutesRule,
  FixedShapeRule,
  InternalRule,
  MessagesRule,
  reservedPaths,
  routableOperations,
  SnakeCaseRule,
} from './rules.ts';
import { type ContractSources, parseSources, type Report, rejectErrors, type SetLimits, unlimited } from './sources.ts';

/** The REST interface that a set of operations defines. */
export interface Contract extends Pick<SetFiles, 'name' | 'isBuiltIn' | 'examples'> {
  readonly operations: readonly Operation[];
  /** The operations that are messages to webhooks. */
  readonly messages: readonly MessageOperation[];
  /** The derived schema: one root field per operation, with the request as arguments and the body as type. */
  readonly schema: GraphQLSchema;
  readonly info: InterfaceDirective | undefined;
}

/** An operation of a set and its route. */
export interface Operation extends BodyOperation {
  readonly route: RouteDirective;
  /** Present if the operation is a tool for agents. */
  readonly tool: ToolDirective | undefined;
  /** The names of the ETag's fields in the graph, if all of them are directly below the root field. */
  readonly revisionFields: readonly string[];
  /** Of what shapes the body in the operation's text, unless the route says another: the body depends on it beside the data. */
  readonly hash: string;
  /** The text of the body without the fields of the ETag. */
  readonly bodyText: string;
  /** The operation without the fields that are marked `@ifReadable`; undefined if there are none. */
  readonly reduced?: Operation | undefined;
}

/** An operation of a set whose body is the message of events to webhooks. */
export interface MessageOperation extends BodyOperation {
  readonly webhook: WebhookDirective;
  /** The events as the graph names them. */
  readonly events: readonly string[];
  /** What an event gives, by variable. */
  readonly variables: ReadonlyMap<string, string>;
}

/** An operation whose body is rendered. */
export interface BodyOperation {
  readonly name: string;
  readonly kind: 'query' | 'mutation';
  readonly deprecation: Deprecation | undefined;
  /** The root field in the graph. */
  readonly rootField: GraphQLField<unknown, unknown>;
  /** What the graph says about the body. */
  readonly returns: string | undefined;
  readonly parameters: readonly Parameter[];
  /** Runs against the graph: the operation with its fragments, without directives. */
  readonly document: DocumentNode;
  /** The response keys from the root to the body. */
  readonly bodyPath: readonly string[];
  /** The response keys from the root to each field of the ETag. */
  readonly etagPaths: readonly (readonly string[])[];
}

/** The name of an operation among tools. */
export const toolNameOf = ({ name, tool }: Operation): string => tool?.name ?? name;

/** The root field of an operation in the derived schema. */
export function rootFieldOf({ schema }: Contract, operation: BodyOperation): GraphQLField<unknown, unknown> {
  const { kind, name } = operation;
  const ofRoutes = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const root = 'events' in operation ? schema.getSubscriptionType() : ofRoutes;
  const field = root?.getFields()[name];
  if (!field) throw new Error(`The derived schema has no field ${name}`);
  return field;
}

/** Every route of the sets, sorted by path and method. */
export function routeTable(sets: readonly Contract[]) {
  return sets
    .flatMap(({ operations }) => operations)
    .map(({ name, route: { method, path } }) => ({ method, path, operation: name }))
    .sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));
}

const loadedFor = memoize((_graph: GraphQLSchema) => new Map<string, Contract>());

/** Reads a set that comes with the service, once for a graph. */
export function loadBuiltIn(graph: GraphQLSchema, files: SetFiles): Contract {
  const loaded = loadedFor(graph);
  const contract = loaded.get(files.name) ?? readContract(graph, files);
  loaded.set(files.name, contract);
  return contract;
}

/** Reads a set; its names and paths are held to the rules of the sets that come with the service, or of an operator's. */
export function readContract(
  graph: GraphQLSchema,
  { name, isBuiltIn, files, examples, examplesFile }: SetFiles,
  limits: SetLimits = unlimited,
  nameRules: readonly ValidationRule[] = [
    ...(isBuiltIn ? [SnakeCaseRule] : [reservedPaths(limits.isReserved), InternalRule]),
  ],
): Contract {
  const sources = files.map(({ path, text }) => new Source(text, path));
  const parsed = parseSources(graph, sources, limits);
  const parameters = new Map<OperationDefinitionNode, readonly Parameter[]>();
  const ownRules = [
    ...[routableOperations(parameters), MessagesRule, FixedShapeRule, BodyFieldsRule, DistinctRoutesRule],
    ...[DeprecationRule, ...nameRules],
  ];
  const errors: Error[] = [...validate(parsed.schema, parsed.document, [...specifiedRules, ...ownRules])];
  rejectErrors(errors);
  const derived = derive(parsed, parameters, (message, nodes) => {
    if (errors.length < maxErrors) errors.push(new GraphQLError(message, { nodes }));
  });
  rejectErrors(errors);
  const contract = { name, isBuiltIn, examples, ...derived };
  // Those of the built-in sets, which have errors among their samples, are recorded by tests.
  if (examplesFile && !isBuiltIn) {
    const all = [...derived.operations, ...derived.messages];
    const bodies = new Map(all.map(operation => [operation.name, rootFieldOf(contract, operation).type]));
    rejectErrors([...checkExamples(examplesFile, examples, bodies)].slice(0, maxErrors));
  }
  return contract;
}

/** As many as validation reports. */
const maxErrors = 100;

function derive(
  sources: ContractSources,
  parameters: ReadonlyMap<OperationDefinitionNode, readonly Parameter[]>,
  report: Report,
): Pick<Contract, 'operations' | 'messages' | 'schema' | 'info'> {
  const texts = createTexts(sources);
  const [ofMessages = [], ofRoutes = []] = [true, false].map(isMessage =>
    sources.operations.filter(node => hasDirective(node, 'webhook') === isMessage),
  );
  const read = ofMessages.map(node => readMessage(sources.schema, node, texts));
  const outputs = createOutputTypes(sources, report, fragment => {
    const isShared = (node: DefinitionNode) =>
      node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === fragment.name.value;
    return read.flatMap(({ operation: { document, events } }) => (document.definitions.some(isShared) ? events : []));
  });
  const derived = ofRoutes.map(node => {
    const { operation, paths } = readOperation(sources.schema, node, parameters.get(node), texts);
    return { operation, type: outputs.ofBody(operation.name, paths, operation.route.constants) };
  });
  const messages = read.map(({ operation, paths }) => ({
    operation,
    type: outputs.ofBody(operation.name, paths, [], operation.events),
  }));
  // After all bodies, whose types take precedence where names collide.
  const inputs = createInputTypes(sources, outputs);
  const fieldOf = ({ operation, type }: (typeof derived)[number]): [string, GraphQLFieldConfig<unknown, unknown>] => {
    const args = operation.parameters.map(parameter => {
      const { name, type: graphType, description, mapped, values, deprecation } = parameter;
      const own = mapped && sources.schema.getType(operation.route.body ?? '');
      const field = isInputObjectType(own) ? own.getFields()[name] : undefined;
      const extensions = { ...ownExtensions(sources.schema, field?.astNode), ...(values && { values }), deprecation };
      const type = inputs.of(graphType, values && kindOfValues(values));
      return [name, { type, description, defaultValue: defaultOf(parameter), extensions }];
    });
    const description = operation.route.description ?? operation.route.summary;
    const { name, deprecation } = operation;
    return [name, { type, description, args: Object.fromEntries(args), extensions: { deprecation } }];
  };
  const rootType = (name: string, kind: Operation['kind']) => {
    const fields = derived.filter(({ operation }) => operation.kind === kind).map(fieldOf);
    return fields.length > 0 ? new GraphQLObjectType({ name, fields: Object.fromEntries(fields) }) : null;
  };
  const ofMessage = ({ operation: { name, webhook, deprecation }, type }: (typeof messages)[number]) =>
    [name, { type, description: webhook.description ?? webhook.summary, extensions: { deprecation } }] as const;
  const schema = new GraphQLSchema({
    query: rootType('Query', 'query'),
    mutation: rootType('Mutation', 'mutation'),
    // What the service sends by itself.
    ...(messages.length > 0 && {
      subscription: new GraphQLObjectType({
        name: 'Subscription',
        fields: Object.fromEntries(messages.map(ofMessage)),
      }),
    }),
  });
  inputs.checkNames(report);
  return {
    operations: derived.map(({ operation }) => operation),
    messages: messages.map(({ operation }) => operation),
    schema,
    info: sources.info,
  };
}

/** Who calls an operation, how and for how long, and what documents say of it, is no part of the response: these do not change its ETags. */
const besideBody = new Set(['tool', 'ifReadable', 'description', 'example', 'optional', 'deprecated']);

function withoutSurroundings({ name, arguments: given = [], ...directive }: DirectiveNode) {
  if (besideBody.has(name.value)) return null;
  if (name.value !== 'route') return undefined;
  return { ...directive, name, arguments: given.filter(argument => argument.name.value === 'constants') };
}

const isReduced = (node: FieldNode) => hasDirective(node, 'ifReadable');

/**
 * The operations of a set by name: without directives, as texts with those that shape bodies, and without the fields that are marked
 * `@ifReadable`. What operations share is printed once.
 */
function createTexts({ document }: ContractSources) {
  const withoutDirectives = (source: DocumentNode) => visit(source, { Directive: () => null });
  const annotate = (source: DocumentNode) => visit(source, { Directive: withoutSurroundings });
  const bare = separateOperations(withoutDirectives(document));
  const annotated = separateOperations(annotate(document));
  const sources = separateOperations(document);
  const reduced = separateOperations(visit(document, { Field: field => (isReduced(field) ? null : undefined) }));
  const printOnce = memoize((node: DefinitionNode) => print(node));
  return {
    documentOf: (name: string) => bare[name],
    textOf: (name: string) => (annotated[name]?.definitions ?? []).map(printOnce).join('\n\n'),
    /** Undefined if nothing in the operation is marked. */
    reducedOf(name: string) {
      const [source, less] = [sources[name], reduced[name]];
      const isSame = source?.definitions.every((definition, at) => definition === less?.definitions[at]);
      return less && !isSame ? { document: withoutDirectives(less), text: print(annotate(less)) } : undefined;
    },
  };
}

function readOperation(
  schema: GraphQLSchema,
  node: OperationDefinitionNode,
  parameters: readonly Parameter[] | undefined,
  texts: ReturnType<typeof createTexts>,
) {
  const { textOf, reducedOf } = texts;
  const route = routeAt(schema, node);
  const { body, paths } = readBody(schema, node, texts);
  if (!route || !parameters) throw unexpected(body.name);
  const variantOf = (variant: DocumentNode, text: string, etags: ResponsePaths['etags']) => ({
    document: variant,
    etagPaths: keysOf(etags),
    revisionFields: etags.every(path => path.length === 2) ? etags.map(path => last(path).field.name) : [],
    hash: hash('sha256', text, 'hex').slice(0, 8),
  });
  const operation: Operation = {
    ...body,
    route,
    tool: directiveAt(schema, 'tool', node),
    parameters,
    ...variantOf(body.document, textOf(body.name), paths.etags),
    ...(route.etag && { hash: route.etag }),
    bodyText: `${printBody(paths)}\n${JSON.stringify(route.constants)}`,
  };
  const less = reducedOf(body.name);
  const etags = paths.etags.filter(path => !isReduced(last(path).node));
  const reduced = less && { ...operation, ...variantOf(less.document, less.text, etags) };
  return { operation: { ...operation, reduced }, paths };
}

function readMessage(schema: GraphQLSchema, node: OperationDefinitionNode, texts: ReturnType<typeof createTexts>) {
  const webhook = directiveAt(schema, 'webhook', node);
  const { body, paths } = readBody(schema, node, texts);
  if (!webhook) throw unexpected(body.name);
  const names = (node.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const operation: MessageOperation = {
    ...body,
    webhook,
    events: webhook.events.map(String),
    variables: new Map(names.map(name => [name, camelCase(name)])),
  };
  return { operation, paths };
}

/** What operations of both kinds have. */
function readBody(
  schema: GraphQLSchema,
  node: OperationDefinitionNode,
  { documentOf }: Pick<ReturnType<typeof createTexts>, 'documentOf'>,
) {
  const name = node.name?.value ?? '';
  const document = documentOf(name);
  const paths = findResponse(schema, node);
  if (!document || !paths || node.operation === 'subscription') throw unexpected(name);
  const body = last(paths.body);
  const operation: BodyOperation = {
    name,
    kind: node.operation,
    deprecation: directiveAt(schema, 'deprecated', node),
    rootField: paths.body[0].field,
    returns: describeOutput(body.field.description, argumentNames(body.field, body.node), isAboutOmission),
    parameters: [],
    document,
    bodyPath: paths.body.map(field => keyOf(field.node)),
    etagPaths: keysOf(paths.etags),
  };
  return { body: operation, paths };
}

const keysOf = (paths: ResponsePaths['etags']) => paths.map(path => path.map(field => keyOf(field.node)));

const unexpected = (name: string) => new Error(`Validation has accepted the operation "${name}", which it cannot have`);
