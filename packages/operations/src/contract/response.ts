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
import type { Report } from './sources.ts';

/** A field of an operation and its definition in the graph. */
export interface PathField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
}

/** The fields from the root to a field, that one included. */
type FieldPath = readonly [PathField, ...PathField[]];

/** The paths to the `@body` and to the `@etag` fields of an operation. */
export interface ResponsePaths {
  readonly body: FieldPath;
  readonly etags: readonly FieldPath[];
}

/** Finds the body and the ETag fields in the operation itself; fragments cannot contain them. */
export function findResponse(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  report: Report = () => {},
): ResponsePaths | undefined {
  const [root, ...others] = operation.selectionSet.selections;
  if (!root || root.kind !== Kind.FIELD || others.length > 0) {
    report(
      `A route needs exactly one root field; ${nameOf(operation)} selects something else. Write one operation for each.`,
      operation,
    );
    return undefined;
  }
  const field = schema.getRootType(operation.operation)?.getFields()[root.name.value];
  if (!field) return undefined;
  const paths = pathsBelow([{ node: root, field }]);
  const bodies = paths.filter(path => hasDirective(last(path).node, 'body'));
  const etags = paths.filter(path => hasDirective(last(path).node, 'etag'));
  for (const extra of bodies.slice(1)) report('There is a second @body in the operation.', last(extra).node);
  const body = bodies[0] ?? [{ node: root, field }];
  checkBody({ body, etags }, report);
  for (const path of etags) checkEtag(path, body, report);
  return { body, etags };
}

const nameOf = (operation: OperationDefinitionNode) => operation.name?.value ?? 'this operation';
export const last = (path: FieldPath): PathField => path.at(-1) ?? path[0];

/** The text of the body without its ETag fields: operations with equal texts render an object to equal bytes. */
export function printBody({ body }: ResponsePaths): string {
  const { node, field } = last(body);
  return [getNullableType(field.type), ...selectionsInBody(node).map(print)].join('\n');
}

export function selectionsInBody({ selectionSet }: FieldNode): SelectionNode[] {
  const isInBody = (selection: SelectionNode) => selection.kind !== Kind.FIELD || !hasDirective(selection, 'etag');
  return (selectionSet?.selections ?? []).filter(isInBody);
}

/** The paths to a field and to every field below it. */
function pathsBelow(path: FieldPath): FieldPath[] {
  const { node, field } = last(path);
  const type = getNamedType(field.type);
  const fields = isObjectType(type) ? type.getFields() : {};
  const below = (node.selectionSet?.selections ?? []).flatMap(selection => {
    if (selection.kind !== Kind.FIELD) return [];
    const found = fields[selection.name.value];
    return found ? pathsBelow([...path, { node: selection, field: found }]) : [];
  });
  return [path, ...below];
}

function checkBody({ body, etags }: ResponsePaths, report: Report): void {
  const onPath = new Set([body, ...etags].flatMap(path => path.map(({ node }) => node)));
  for (const { node, field } of body.slice(0, -1)) {
    if (isList(field.type)) report(`The @body cannot be in the list "${node.name.value}".`, node);
    for (const selection of node.selectionSet?.selections ?? []) {
      if (selection.kind === Kind.FIELD && onPath.has(selection)) continue;
      report('This field is not on the path to @body or @etag.', selection);
    }
  }
}

function checkEtag(path: FieldPath, body: FieldPath, report: Report): void {
  const { node, field } = last(path);
  const named = getNamedType(field.type).name;
  if (!isNonNullType(field.type) || isList(field.type) || (named !== 'Int' && named !== 'SafeInt')) {
    report(`An @etag must be a non-null integer; "${node.name.value}" is ${field.type}.`, node);
  }
  if (path.slice(0, -1).some(parent => isList(parent.field.type))) report('An @etag cannot be in a list.', node);
  const isInBody = path.some(parent => parent.node === last(body).node);
  if (isInBody && path.length > body.length + 1)
    report('An @etag cannot be nested deeper than a field of the body.', node);
}

const isList = (type: GraphQLOutputType): boolean => isListType(getNullableType(type));
