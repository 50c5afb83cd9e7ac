import { runAtOnce } from '@carte/base/time-slice';
import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
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
  type SelectedField,
  selectedFields,
} from './execution/selected-fields.ts';

/** Compiles an operation to a body in the shape of its derived type. */
export function compileRoute(
  graph: GraphQLSchema,
  contract: Contract,
  operation: Operation,
  maxObjects?: number,
): CompiledOperation {
  const { document, name, kind } = operation;
  const fieldsOf = (keys: readonly string[]) => fieldsAlong(document, name, keys);
  const source = { document, kind, body: fieldsOf(operation.bodyPath), etags: operation.etagPaths.map(fieldsOf) };
  return compileOperation(graph, source, {
    shape: shapeOf(rootFieldOf(contract, operation).type),
    limits: { ...(maxObjects !== undefined && { maxObjects }) },
    translateError: (error, keys) => translateInvalidInput(operation, keys, error),
  });
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
