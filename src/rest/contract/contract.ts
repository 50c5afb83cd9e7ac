import { hash } from 'node:crypto';
import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLObjectType,
  GraphQLSchema,
  type OperationDefinitionNode,
  print,
  type Source,
  specifiedRules,
  validate,
} from 'graphql';
import { directiveAt, type InterfaceDirective, type RouteDirective } from './directives.ts';
import { withFragments, withoutDirectives } from './documents.ts';
import { ContractError } from './errors.ts';
import { InputTypes } from './inputs.ts';
import { OutputTypes } from './outputs.ts';
import { type Parameter, readParameters } from './parameters.ts';
import { findResponse, keyOf, nameOfLast, textOfBody } from './response.ts';
import { BodyFieldsRule, DistinctRoutesRule, FixedShapeRule, RoutableOperationsRule } from './rules.ts';
import { type ContractText, parseSources, readSources } from './text.ts';

/** The REST interface as schema/rest writes it. */
export interface Contract {
  readonly operations: readonly Operation[];
  /** One root field per operation, whose arguments and type are what a caller sends and gets. */
  readonly schema: GraphQLSchema;
  readonly about: InterfaceDirective | undefined;
}

/** A route: the operation behind it, and how a request and an answer are made of it. */
export interface Operation {
  readonly name: string;
  readonly kind: 'query' | 'mutation';
  readonly route: RouteDirective;
  readonly parameters: readonly Parameter[];
  /** What runs against the graph. */
  readonly document: DocumentNode;
  /** The keys that lead from the result to the body, and to what makes the tag. */
  readonly body: readonly string[];
  readonly etags: readonly (readonly string[])[];
  /** The names in the graph of what makes the tag, where all of it stands directly below the root. */
  readonly revisionFields: readonly string[];
  /** Of the operation's text: another text may answer another body for the same data. */
  readonly hash: string;
  /** The text of the body alone, without what makes the tag. */
  readonly bodyText: string;
}

/** The field that stands for an operation in the derived schema. */
export function rootFieldOf({ schema }: Contract, { kind, name }: Operation): GraphQLField<unknown, unknown> {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[name];
  if (!field) throw new Error(`The derived schema has no field ${name}`);
  return field;
}

/** The contract of schema/rest over this graph. */
export function loadContract(graph: GraphQLSchema): Contract {
  return readContract(graph, readSources());
}

export function readContract(graph: GraphQLSchema, sources: readonly Source[]): Contract {
  const text = parseSources(graph, sources);
  const rules = [...specifiedRules, RoutableOperationsRule, FixedShapeRule, BodyFieldsRule, DistinctRoutesRule];
  const errors: Error[] = [...validate(text.schema, text.document, rules)];
  if (errors.length > 0) throw new ContractError(errors);
  const contract = derive(text, (message, nodes) => errors.push(new GraphQLError(message, { nodes })));
  if (errors.length > 0) throw new ContractError(errors);
  return contract;
}

type Roots = Record<Operation['kind'], Record<string, GraphQLFieldConfig<unknown, unknown>>>;

function derive(text: ContractText, report: (message: string, node: ASTNode) => void): Contract {
  const outputs = new OutputTypes(text, report);
  const read = text.operations.map(node => readOperation(text, node, outputs));
  // Only when every body has its type is it known which names are left for inputs.
  const inputs = new InputTypes(text, outputs);
  const roots: Roots = { query: {}, mutation: {} };
  for (const { operation, type } of read) {
    roots[operation.kind][operation.name] = {
      type,
      description: operation.route.description ?? operation.route.summary,
      args: Object.fromEntries(
        operation.parameters.map(({ name, type: graphType, description, defaultValue }) => [
          name,
          { type: inputs.of(graphType), description, defaultValue },
        ]),
      ),
    };
  }
  const rootType = (name: string, fields: Roots['query']) =>
    Object.keys(fields).length > 0 ? new GraphQLObjectType({ name, fields }) : null;
  const schema = new GraphQLSchema({
    query: rootType('Query', roots.query),
    mutation: rootType('Mutation', roots.mutation),
  });
  inputs.checkNames(text, report);
  return { operations: read.map(({ operation }) => operation), schema, about: text.about };
}

function readOperation(text: ContractText, node: OperationDefinitionNode, outputs: OutputTypes) {
  const name = node.name?.value;
  const route = directiveAt(text.schema, 'route', node);
  const answer = findResponse(text.schema, node, () => {});
  if (name === undefined || !route || !answer || node.operation === 'subscription') {
    throw new Error(`Validation let ${name ?? 'an operation'} pass that is no route`);
  }
  const document = withFragments(text, node);
  const operation: Operation = {
    name,
    kind: node.operation,
    route,
    parameters: readParameters(text.schema, node, route, () => {}),
    document: withoutDirectives(document),
    body: answer.body.map(step => keyOf(step.node)),
    etags: answer.etags.map(steps => steps.map(step => keyOf(step.node))),
    revisionFields: answer.etags.every(steps => steps.length === 2) ? answer.etags.map(nameOfLast) : [],
    hash: hash('sha256', print(document), 'hex').slice(0, 8),
    bodyText: `${textOfBody(answer)}\n${JSON.stringify(route.constants)}`,
  };
  return { operation, type: outputs.ofAnswer(name, answer, route.constants) };
}
