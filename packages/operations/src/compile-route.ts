import { runAtOnce } from '@carte/base/time-slice';
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type Contract, type Operation, rootFieldOf } from './contract/contract.ts';
import type { FieldExtensions } from './contract/outputs.ts';
import { translateInvalidInput } from './errors.ts';
import { type CompiledOperation, compileOperation, type Variables } from './execution/compile.ts';
import { concatenate, toBuffers } from './execution/json-writer.ts';
import type { FieldShape, Shape } from './execution/renderer.ts';
import {
  type Fragments,
  fieldsAlong,
  fragmentsOf,
  leafField,
  type SelectedField,
  selectedFields,
} from './execution/selected-fields.ts';

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
  operation: Operation,
  { maxObjects, dependencies = [] }: RouteOptions = {},
): CompiledOperation {
  const { document, name, kind } = operation;
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
      translateError: (error, keys) => translateInvalidInput(operation, keys, error),
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

/** Renders the body of a route outside of a request; null where the route responds with 404. */
export type RenderBody = (variables: Variables, context: unknown) => Promise<Buffer | null>;

export function compileBody(graph: GraphQLSchema, contract: Contract, operationName: string): RenderBody {
  const operation = contract.operations.find(({ name }) => name === operationName);
  if (!operation) throw new Error(`The contract has no operation ${operationName}`);
  return toRenderBody(compileRoute(graph, contract, operation));
}

/** Compiles a query of one root field that is no route; fields that are null are omitted, as in a route. */
export function compileQuery(graph: GraphQLSchema, document: DocumentNode, name: string): RenderBody {
  const fragments = fragmentsOf(document);
  const body = selectedFields(getOperationAST(document, name)?.selectionSet.selections ?? [], fragments);
  const shape = shapeOfSelection(graph.getQueryType(), body, fragments);
  const [key = ''] = shape?.keys() ?? [];
  const run = compileOperation(graph, { document, kind: 'query', body, etags: [] }, { shape: shape?.get(key)?.shape });
  return toRenderBody(run);
}

const toRenderBody =
  (run: CompiledOperation): RenderBody =>
  async (variables, context) => {
    const result = await run(variables, context);
    return result && runAtOnce(concatenate(toBuffers(result.body)));
  };

function shapeOfSelection(
  type: GraphQLNamedType | null | undefined,
  selected: readonly SelectedField[],
  fragments: Fragments,
): Shape | undefined {
  if (!isObjectType(type)) return undefined;
  const fields = type.getFields();
  return new Map(
    selected.map(({ key, node, selections }) => {
      const field = fields[node.name.value];
      if (!field) throw new Error(`${type.name} has no field ${node.name.value}`);
      const shape = shapeOfSelection(getNamedType(field.type), selectedFields(selections, fragments), fragments);
      return [key, { optional: !isNonNullType(field.type), fallback: undefined, constant: undefined, shape }];
    }),
  );
}

function shapeOf(type: GraphQLOutputType): Shape | undefined {
  const named = getNamedType(type);
  if (!isObjectType(named)) return undefined;
  const fields = Object.values(named.getFields()).map(({ name, type: fieldType, extensions }): [string, FieldShape] => {
    const { default: fallback, constant }: FieldExtensions = extensions;
    const json = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));
    const optional = !isNonNullType(fieldType);
    return [name, { optional, fallback: json(fallback), constant: json(constant), shape: shapeOf(fieldType) }];
  });
  return new Map(fields);
}
