import { runAtOnce } from '@carte/base/time-slice';
import {
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type BodyOperation, type Contract, type Operation, rootFieldOf } from './contract/contract.ts';
import type { FieldExtensions } from './contract/mapped-values.ts';
import { compileLeaf } from './contract/mapped-values.ts';
import { translateInvalidInput } from './errors.ts';
import { type CompiledOperation, compileOperation, type Variables } from './execution/compile.ts';
import { concatenate, toBuffers } from './execution/json-writer.ts';
import type { FieldShape, Shape } from './execution/renderer.ts';
import { fieldsAlong, leafField, type SelectedField } from './execution/selected-fields.ts';
import { compileMessages } from './input/caller-values.ts';

/** A field of the graph on which bodies depend. */
export interface Dependency {
  readonly type: string;
  readonly field: string;
}

interface RouteOptions {
  readonly maxObjects?: number | undefined;
  /** Part of the ETag, beside the fields that make one. */
  readonly dependencies?: readonly Dependency[] | undefined;
}

/** Compiles an operation to a body in the shape of its derived type. */
export function compileRoute(
  graph: GraphQLSchema,
  contract: Contract,
  operation: BodyOperation,
  { maxObjects, dependencies = [] }: RouteOptions = {},
): CompiledOperation {
  const { document, name, kind } = operation;
  const toMessage = compileMessages(contract, operation);
  const fieldsOf = (keys: readonly string[]) => fieldsAlong(document, name, keys);
  const body = fieldsOf(operation.bodyPath);
  const etags = operation.etagPaths.map(fieldsOf);
  const dependent = etags.length > 0 ? dependencies.flatMap(each => pathsTo(each, operation.rootField, body)) : [];
  return compileOperation(
    graph,
    { document, kind, body, etags: [...etags, ...dependent] },
    {
      shape: shapeOf(rootFieldOf(contract, operation).type),
      limits: { ...(maxObjects !== undefined && { maxObjects }) },
      translateError: (error, keys) => translateInvalidInput(operation, keys, error, toMessage),
    },
  );
}

/** The path to a field of the first object on the path to the body that is of its type; none if no object is. */
function pathsTo({ type, field }: Dependency, root: Operation['rootField'], body: readonly SelectedField[]) {
  let object: GraphQLOutputType | undefined = getNullableType(root.type);
  for (const [index, next] of [...body.slice(1), leafField(field)].entries()) {
    if (!isObjectType(object)) break;
    if (object.name === type) return [[...body.slice(0, index + 1), leafField(field)]];
    const following: GraphQLField<unknown, unknown> | undefined = object.getFields()[next.node.name.value];
    object = following && getNullableType(following.type);
  }
  return [];
}

/** Renders the body of an operation outside of a request; null where a route responds with 404. */
export type RenderBody = (variables: Variables, context: unknown) => Promise<Buffer | null>;

export function compileBody(
  graph: GraphQLSchema,
  contract: Contract,
  operation: BodyOperation,
  options: RouteOptions = {},
): RenderBody {
  const run = compileRoute(graph, contract, operation, options);
  return async (variables, context) => {
    const result = await run(variables, context);
    return result && runAtOnce(concatenate(toBuffers(result.body)));
  };
}

function shapeOf(type: GraphQLOutputType): Shape | undefined {
  const named = getNamedType(type);
  if (!isObjectType(named)) return undefined;
  const fields = Object.values(named.getFields()).map(({ name, type: fieldType, extensions }): [string, FieldShape] => {
    const { default: fallback, constant, key, isGroup, maxBytes, only }: FieldExtensions = extensions;
    const json = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));
    const optional = !isNonNullType(fieldType);
    const shape = shapeOf(only?.type ?? fieldType);
    const mapping = { key, isGroup, maxBytes, only: only?.field, leaf: compileLeaf(extensions) };
    return [name, { optional, fallback: json(fallback), constant: json(constant), shape, ...mapping }];
  });
  return new Map(fields);
}
