import {
  type FieldNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
} from 'graphql';
import { hasDirective } from './directives.ts';
import type { Report } from './errors.ts';

/** A field on the way from the root, in the text and in the graph. */
interface Step {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
}
type Steps = readonly [Step, ...Step[]];

/** Which part of an operation's result is the body, and which make the tag. */
export interface Answer {
  readonly body: Steps;
  readonly etags: readonly Steps[];
}

export const keyOf = (node: FieldNode): string => node.alias?.value ?? node.name.value;

/** Finds the body and the tag in an operation's own text; fragments have no say in it. */
export function findResponse(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  report: Report,
): Answer | undefined {
  const [root, ...others] = operation.selectionSet.selections;
  if (!root || root.kind !== Kind.FIELD || others.length > 0) {
    report(`A route has one root field; ${nameOf(operation)} has another selection.`, operation);
    return undefined;
  }
  const field = schema.getRootType(operation.operation)?.getFields()[root.name.value];
  if (!field) return undefined;
  const all = stepsBelow([{ node: root, field }]);
  const bodies = all.filter(steps => hasDirective(last(steps).node, 'body'));
  const etags = all.filter(steps => hasDirective(last(steps).node, 'etag'));
  for (const extra of bodies.slice(1)) report('There is a second @body in the operation.', last(extra).node);
  const body = bodies[0] ?? [{ node: root, field }];
  const answer: Answer = { body, etags };
  checkBody(answer, report);
  for (const steps of etags) checkEtag(steps, body, report);
  return answer;
}

const nameOf = (operation: OperationDefinitionNode) => operation.name?.value ?? 'this operation';
const last = (steps: Steps): Step => steps.at(-1) ?? steps[0];

export const nameOfLast = (steps: Steps): string => last(steps).field.name;

/** The text of the body by itself: where it is the same, the same object is written in the same way. */
export function textOfBody({ body }: Answer): string {
  const { node, field } = last(body);
  const isShown = (selection: SelectionNode) => selection.kind !== Kind.FIELD || !hasDirective(selection, 'etag');
  const shown = node.selectionSet?.selections.filter(isShown) ?? [];
  return [getNullableType(field.type), ...shown.map(print)].join('\n');
}

/** Every field from here down, as the steps that lead to it. */
function stepsBelow(steps: Steps): Steps[] {
  const { node, field } = last(steps);
  const type = getNamedType(field.type);
  const fields = isObjectType(type) ? type.getFields() : {};
  const below = (node.selectionSet?.selections ?? []).flatMap(selection => {
    if (selection.kind !== Kind.FIELD) return [];
    const found = fields[selection.name.value];
    return found ? stepsBelow([...steps, { node: selection, field: found }]) : [];
  });
  return [steps, ...below];
}

function checkBody({ body, etags }: Answer, report: Report): void {
  const marked = new Set([body, ...etags].flatMap(steps => steps.map(step => step.node)));
  for (const { node, field } of body.slice(0, -1)) {
    if (isList(field.type)) report(`The body cannot lie in the list "${node.name.value}".`, node);
    for (const selection of node.selectionSet?.selections ?? []) {
      if (selection.kind === Kind.FIELD && marked.has(selection)) continue;
      report('This is neither the @body nor on the way to it, and no @etag.', selection);
    }
  }
}

function checkEtag(steps: Steps, body: Steps, report: Report): void {
  const { node, field } = last(steps);
  const named = getNamedType(field.type).name;
  if (!isNonNullType(field.type) || isList(field.type) || (named !== 'Int' && named !== 'SafeInt')) {
    report(`An @etag is a whole number that is always there; "${node.name.value}" is ${field.type}.`, node);
  }
  if (steps.slice(0, -1).some(step => isList(step.field.type))) report('An @etag cannot lie in a list.', node);
  const within = steps.some(step => step.node === last(body).node);
  if (within && steps.length > body.length + 1) report('An @etag cannot lie deep within the body.', node);
}

const isList = (type: GraphQLOutputType): boolean => isListType(getNullableType(type));
