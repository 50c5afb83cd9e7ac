import {
  type ASTNode,
  type ASTVisitor,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isSpecifiedDirective,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  type SelectionNode,
  type ValidationContext,
  type ValidationRule,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { keyOf } from '../execution/selected-fields.ts';
import { camelCase } from '../input/names.ts';
import type { Operation } from './contract.ts';
import { deprecationAt } from './deprecation.ts';
import { directiveAt, hasDirective, interfaceOf, type Link, type RouteDirective, routeAt } from './directives.ts';
import { isInternal } from './internal.ts';
import { namesInPath, type Parameter, readParameters } from './parameters.ts';
import { findResponse, last } from './response.ts';
import type { Report } from './sources.ts';

/** A rule for operations that reports errors at nodes. */
const rule =
  (visitor: (report: Report, schema: GraphQLSchema, context: ValidationContext) => ASTVisitor): ValidationRule =>
  context =>
    visitor(
      (message, nodes) => context.reportError(new GraphQLError(message, { nodes })),
      context.getSchema(),
      context,
    );

/** Every operation is a named query or mutation with a route, a body and parameters, which are kept by operation. */
export const routableOperations = (read: Map<OperationDefinitionNode, readonly Parameter[]>) =>
  rule((report, schema) => ({
    OperationDefinition(node) {
      if (!node.name) report('The operation has no name.', node);
      if (node.operation === OperationTypeNode.SUBSCRIPTION) report('A subscription cannot be a route.', node);
      if (hasDirective(node, 'webhook')) return;
      if (!hasDirective(node, 'route')) {
        report('The operation has no @route; add one such as @route(path: "/shop/stores").', node);
      }
      const paths = findResponse(schema, node, report);
      const route = routeAt(schema, node);
      if (route?.method === 'GET' && node.operation === OperationTypeNode.MUTATION) {
        report('A mutation cannot be GET, which never writes; leave out the method, for POST.', node);
      }
      if (route?.etag && !/^[0-9a-f]{8}$/.test(route.etag))
        report(`"${route.etag}" are no eight hexadecimal digits, as \`etag\` needs.`, node);
      const parameters = route ? readParameters(schema, node, route, report) : [];
      if (route?.method === 'GET' && paths?.etags.length && parameters.some(parameter => parameter.in === 'header')) {
        report('A header changes the body, but not the value of @etag; leave out one of them.', node);
      }
      read.set(node, parameters);
    },
  }));

/** What is deprecated is a route or message, a parameter that callers need not send, or a field of a body. */
export const DeprecationRule = rule((report, schema) => ({
  OperationDefinition(node) {
    deprecationAt(schema, node, report);
    const { body = [], etags = [] } = findResponse(schema, node) ?? {};
    for (const { node: field } of [body, ...etags].flat()) {
      if (directiveAt(schema, 'deprecated', field))
        report('This field is not in the body; mark the operation as @deprecated, or fields of the body.', field);
    }
  },
  Field: node => void deprecationAt(schema, node, report),
  VariableDefinition(node) {
    const isRequired = node.type.kind === Kind.NON_NULL_TYPE && !node.defaultValue;
    if (deprecationAt(schema, node, report) && isRequired)
      report(
        `$${node.variable.name.value} is required, so nobody can leave it out; make it nullable, or remove @deprecated.`,
        node,
      );
  },
}));

/** A message has a body for events that the graph declares, and variables that all of them give. */
export const MessagesRule = rule((report, schema) => ({
  OperationDefinition(node) {
    const webhook = directiveAt(schema, 'webhook', node);
    if (!webhook) return;
    if (!node.name) report('The operation has no name.', node);
    if (hasDirective(node, 'route')) report('A message is no route; write an operation for each of both.', node);
    if (hasDirective(node, 'tool')) report('A message is no tool; remove @tool.', node);
    for (const path of findResponse(schema, node, report)?.etags ?? []) {
      report('A message has no ETag; remove @etag.', last(path).node);
    }
    visit(node, {
      Field(field) {
        if (hasDirective(field, 'ifReadable')) report('A message is for one reader; remove @ifReadable.', field);
      },
    });
    const known = readEvents(schema);
    const events = webhook.events.map(String);
    if (events.length === 0) report('@webhook needs at least one event; add one to `events`.', node);
    for (const event of events.filter(name => !known.has(name))) {
      report(`There is no event ${event}, only ${[...known.keys()].join(', ') || 'none in this graph'}.`, node);
    }
    if (new Set(events).size < events.length) report('An event of @webhook occurs twice; remove one.', node);
    for (const definition of node.variableDefinitions ?? []) {
      const name = definition.variable.name.value;
      for (const event of events) {
        const given = known.get(event);
        if (!given || given.includes(camelCase(name))) continue;
        report(`${event} gives no $${name}, only ${given.map(each => `$${each}`).join(', ')}.`, definition);
      }
      if (!/^(?:ID|String)!?$/.test(print(definition.type))) {
        report(`$${name} is an identifier that the event gives; declare it as ID!.`, definition);
      }
      for (const directive of definition.directives ?? []) {
        report(`$${name} is given by the event; remove @${directive.name.value}.`, directive);
      }
    }
  },
}));

/** The events that the graph declares by `@webhookEvent`, with what each gives to variables. */
export function readEvents(schema: GraphQLSchema): ReadonlyMap<string, readonly string[]> {
  const values = Object.values(schema.getTypeMap()).flatMap(type => (isEnumType(type) ? type.getValues() : []));
  return new Map(
    values.flatMap(({ name, astNode }) => {
      const directive = astNode?.directives?.find(candidate => candidate.name.value === 'webhookEvent');
      const variables = directive?.arguments?.find(argument => argument.name.value === 'variables');
      return variables ? [[name, valueFromASTUntyped(variables.value) as readonly string[]]] : [];
    }),
  );
}

/** What the graph has for the routes of the service is for others only where they ask for it. */
export const InternalRule = rule((report, schema, context) => {
  if (interfaceOf(schema)?.internal) return {};
  const check = (node: ASTNode, name: string, element: Parameters<typeof isInternal>[0] | null | undefined) => {
    if (element && isInternal(element))
      report(`"${name}" is internal; add @interface(internal: true) to select it, or select something else.`, node);
  };
  return {
    Field: node => check(node, `${context.getParentType()}.${node.name.value}`, context.getFieldDef()),
    Argument: node => check(node, node.name.value, context.getArgument()),
  };
});

/** Rejects abstract types, inline fragments and conditions: the shape of a REST body is fixed. */
export const FixedShapeRule = rule((report, schema, context) => ({
  InlineFragment: node => report('An inline fragment has no REST type; use a named fragment.', node),
  Directive(node) {
    const directive = schema.getDirective(node.name.value);
    if (directive && isSpecifiedDirective(directive) && directive.name !== 'deprecated') {
      report(`@${node.name.value} is not a directive of the REST contract.`, node);
    }
  },
  Field(node) {
    const type = context.getType();
    if (type && isAbstractType(getNamedType(type))) {
      report(`"${node.name.value}" is of the abstract type ${getNamedType(type)}, which has no REST type.`, node);
    }
  },
  FragmentDefinition(node) {
    const type = schema.getType(node.typeCondition.name.value);
    if (isAbstractType(type)) report(`The fragment is on the abstract type ${type}, which has no REST type.`, node);
  },
}));

const snakeCased = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/** `@body` and `@etag` are in operations, not in fragments; `@ifReadable` leaves out neither the body nor all fields of an object. */
export const BodyFieldsRule = rule((report, schema) => ({
  OperationDefinition(node) {
    for (const { node: field } of findResponse(schema, node)?.body ?? []) {
      if (hasDirective(field, 'ifReadable')) report('@ifReadable is not allowed on the path to the body.', field);
    }
  },
  SelectionSet(node) {
    const isLeftOut = (selection: SelectionNode) =>
      selection.kind === Kind.FIELD && hasDirective(selection, 'ifReadable');
    if (node.selections.every(isLeftOut)) report('One of these fields must be without @ifReadable.', node);
  },
  FragmentDefinition(fragment) {
    visit(fragment, {
      Field(node) {
        if (hasDirective(node, 'body') || hasDirective(node, 'etag')) {
          report('@body and @etag are not allowed in fragments.', node);
        }
      },
    });
  },
}));

/** Fields of a body have snake_case names. */
export const SnakeCaseRule = rule((report, schema) => {
  const outsideBody = new Set<unknown>();
  return {
    OperationDefinition(node) {
      const { body = [], etags = [] } = findResponse(schema, node) ?? {};
      for (const field of [body, ...etags].flat()) outsideBody.add(field.node);
    },
    Field(node) {
      if (!outsideBody.has(node) && !snakeCased.test(keyOf(node))) {
        report(`"${keyOf(node)}" is not in snake_case; give the field an alias.`, node);
      }
    },
  };
});

const pathPattern = /^(\/([\w.-]+|\{\w+\}))+\/?$/;

/** Why a path cannot be that of a route, and what to write. */
function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return `The path "${path}" does not begin with a slash; write "/${path}".`;
  const dots = path.split('/').find(segment => segment === '.' || segment === '..');
  if (dots) return `The path "${path}" has the segment "${dots}", which clients resolve; remove it.`;
  if (pathPattern.test(path)) return undefined;
  return `"${path}" is not a path such as "/shop/stores/{id}"; its segments are letters, digits, ".", "_" and "-", or a parameter in braces.`;
}

/** Routes are unique, `@ifMatch` names operations with an ETag, and links name an operation and a parameter of its path. */
export const DistinctRoutesRule = rule((report, schema) => {
  const routes: Pick<Operation, 'name' | 'route'>[] = [];
  const withETag = new Set<string>();
  const references: { readonly name: string; readonly node: Parameters<Report>[1] }[] = [];
  const pathParameters = new Map<string, readonly string[]>();
  const links: (Link & { readonly node: Parameters<Report>[1] })[] = [];
  return {
    OperationDefinition(node) {
      const name = node.name?.value ?? '';
      if (findResponse(schema, node)?.etags.length) withETag.add(name);
      for (const variable of node.variableDefinitions ?? []) {
        const etagsOf = directiveAt(schema, 'ifMatch', variable)?.etagsOf ?? [];
        references.push(...etagsOf.map(operation => ({ name: operation, node: variable })));
      }
      const route = routeAt(schema, node);
      if (!route) return;
      pathParameters.set(name, namesInPath(route.path));
      links.push(...route.links.map(link => ({ ...link, node })));
      const problem = pathProblem(route.path);
      if (problem) report(problem, node);
      const conflict = routes.map(other => conflictOf(route, other)).find(message => message !== undefined);
      if (conflict) report(conflict, node);
      routes.push({ name: name || 'an operation without a name', route });
    },
    Document: {
      leave() {
        for (const { name, node } of references.filter(reference => !withETag.has(reference.name))) {
          report(`@ifMatch refers to "${name}", which is not an operation with an @etag.`, node);
        }
        for (const { operation, parameter, node } of links) {
          if (pathParameters.get(operation)?.includes(parameter)) continue;
          report(`The link to "${operation}" is unknown, or its path has no {${parameter}}.`, node);
        }
      },
    },
  };
});

/** The path of an operator's route begins with a literal segment that is not reserved. */
export const reservedPaths = (isReserved: (firstSegment: string) => boolean) =>
  rule((report, schema) => ({
    OperationDefinition(node) {
      const path = routeAt(schema, node)?.path;
      if (!path?.startsWith('/')) return;
      const first = path.split('/')[1]?.toLowerCase() ?? '';
      if (first.startsWith('{')) {
        report(`"${path}" begins with a parameter; begin with a name of your own, such as "/shop${path}".`, node);
      } else if (isReserved(first)) {
        report(`"/${first}" is reserved for the service; begin with a name of your own, such as "/shop${path}".`, node);
      }
    },
  }));

const normalized = (path: string) => path.replace(/\{\w+\}/g, '{}').replace(/\/$/, '');

/** Why two operations cannot both be routes; undefined if they can. */
export function conflictOf(
  { method, path }: RouteDirective,
  other: Pick<Operation, 'name' | 'route'>,
): string | undefined {
  if (normalized(path) !== normalized(other.route.path)) return undefined;
  if (method === other.route.method) return `${method} ${path} is already the route of ${other.name}.`;
  if (path === other.route.path) return undefined;
  return `The path ${path} differs from ${other.route.path} of ${other.name} by a slash or a parameter's name; write it in the same way.`;
}
