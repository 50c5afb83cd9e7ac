import {
  type ASTVisitor,
  GraphQLError,
  getNamedType,
  isAbstractType,
  isSpecifiedDirective,
  OperationTypeNode,
  type ValidationContext,
} from 'graphql';
import { directiveAt, hasDirective } from './directives.ts';
import type { Report } from './errors.ts';
import { readParameters } from './parameters.ts';
import { findResponse, keyOf } from './response.ts';

const reportTo =
  (context: ValidationContext): Report =>
  (message, nodes) =>
    context.reportError(new GraphQLError(message, { nodes }));

/** Every operation is a named query or mutation with a route, a body and parameters that a request can carry. */
export function RoutableOperationsRule(context: ValidationContext): ASTVisitor {
  const report = reportTo(context);
  return {
    OperationDefinition(node) {
      const schema = context.getSchema();
      if (!node.name) report('An operation needs a name.', node);
      if (node.operation === OperationTypeNode.SUBSCRIPTION) report('A subscription cannot be a route.', node);
      if (!node.directives?.some(directive => directive.name.value === 'route')) {
        report('The operation has no @route.', node);
      }
      findResponse(schema, node, report);
      const route = directiveAt(schema, 'route', node);
      if (route) readParameters(schema, node, route, report);
    },
  };
}

/** What a body of fixed shape cannot express: alternatives and conditions. */
export function FixedShapeRule(context: ValidationContext): ASTVisitor {
  const report = reportTo(context);
  return {
    InlineFragment: node => report('An inline fragment has no REST shape; name it.', node),
    Directive(node) {
      const directive = context.getSchema().getDirective(node.name.value);
      if (directive && isSpecifiedDirective(directive)) {
        report(`@${node.name.value} is not a directive of the REST contract.`, node);
      }
    },
    Field(node) {
      const type = context.getType();
      if (type && isAbstractType(getNamedType(type))) {
        report(`"${node.name.value}" is of the abstract type ${getNamedType(type)}, which has no REST shape.`, node);
      }
    },
    FragmentDefinition(node) {
      const type = context.getSchema().getType(node.typeCondition.name.value);
      if (isAbstractType(type)) report(`The fragment is on the abstract type ${type}, which has no REST shape.`, node);
    },
  };
}

const snakeCased = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/** Fields of a body have snake_case names; what leads to the body is in the operation's text. */
export function BodyFieldsRule(context: ValidationContext): ASTVisitor {
  const report = reportTo(context);
  const outsideBody = new Set<unknown>();
  let inFragment = false;
  return {
    OperationDefinition(node) {
      inFragment = false;
      const answer = findResponse(context.getSchema(), node, () => {});
      for (const steps of [answer?.body ?? [], ...(answer?.etags ?? [])]) {
        for (const step of steps) outsideBody.add(step.node);
      }
    },
    FragmentDefinition() {
      inFragment = true;
    },
    Field(node) {
      if (inFragment && (hasDirective(node, 'body') || hasDirective(node, 'etag'))) {
        report('@body and @etag belong in the operation itself, not in a fragment.', node);
      }
      if (!outsideBody.has(node) && !snakeCased.test(keyOf(node))) {
        report(`"${keyOf(node)}" is not in snake_case; give the field an alias.`, node);
      }
    },
  };
}

const pathPattern = /^(\/([\w.-]+|\{\w+\}))+\/?$/;

/** No two operations answer the same requests, and a tag in If-Match belongs to an operation that gives tags. */
export function DistinctRoutesRule(context: ValidationContext): ASTVisitor {
  const report = reportTo(context);
  const taken = new Map<string, string>();
  const tagging = new Set<string>();
  const wanted: { readonly name: string; readonly node: Parameters<Report>[1] }[] = [];
  return {
    OperationDefinition(node) {
      const schema = context.getSchema();
      const name = node.name?.value ?? '';
      if (findResponse(schema, node, () => {})?.etags.length) tagging.add(name);
      for (const variable of node.variableDefinitions ?? []) {
        const tagsOf = directiveAt(schema, 'ifMatch', variable)?.tagsOf ?? [];
        wanted.push(...tagsOf.map(operation => ({ name: operation, node: variable })));
      }
      const route = directiveAt(schema, 'route', node);
      if (!route) return;
      if (!pathPattern.test(route.path)) report(`"${route.path}" is not a path such as /v1/stores/{id}.`, node);
      const place = `${route.method} ${route.path.replace(/\{\w+\}/g, '{}')}`;
      const other = taken.get(place);
      if (other) report(`${route.method} ${route.path} is the route of ${other} already.`, node);
      taken.set(place, name);
    },
    Document: {
      leave() {
        for (const { name, node } of wanted.filter(want => !tagging.has(want.name))) {
          report(`@ifMatch names "${name}", which is no operation with an @etag.`, node);
        }
      },
    },
  };
}
