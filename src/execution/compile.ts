import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Operation } from '../rest/contract/contract.ts';
import type { FieldExtensions } from '../rest/contract/outputs.ts';
import { translateInvalidInput } from '../rest/domain-errors.ts';
import type { Chunk } from './json-writer.ts';
import {
  compileRenderer,
  compileResolver,
  type FieldShape,
  Rendering,
  type RenderingOptions,
  type Shape,
} from './renderer.ts';
import { fieldsAlong, fragmentsOf, type SelectedField } from './selected-fields.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** The body of an operation as JSON, and the values of its `@etag` fields. */
export interface Result {
  readonly body: Chunk;
  readonly etagValues: readonly unknown[];
}

/** Runs an operation; null where a field on the path to its body is null. Variables are not validated again. */
export type CompiledOperation = (variables: Variables, context: unknown) => Promise<Result | null>;

interface CompiledField {
  readonly field: GraphQLField<unknown, unknown>;
  readonly selected: SelectedField;
  readonly resolve: (object: unknown, rendering: Rendering) => unknown;
}

/**
 * Compiles an operation to calls of the graph's resolvers and a renderer that writes their results in the shape of the derived type,
 * without an object of that shape in between.
 */
export function compileOperation(
  graph: GraphQLSchema,
  operation: Operation,
  bodyType: GraphQLOutputType,
): CompiledOperation {
  const fragments = fragmentsOf(operation.document);
  const path = compilePath(graph, operation, operation.bodyPath);
  const etagPaths = operation.etagPaths.map(keys => compilePath(graph, operation, keys));
  const last = path.at(-1);
  if (!last) throw new Error(`${operation.name} has no body`);
  const render = compileRenderer(last.field.type, last.selected, fragments, shapeOf(bodyType));
  // Its own Rendering: one that lives as long as the request would promote all chunks to V8's old generation.
  const renderBody = async (parents: readonly unknown[], options: RenderingOptions): Promise<Result> => {
    const rendering = new Rendering(options);
    // The body is started first, so that the values of the ETag come from what the body loads.
    const [body, ...etagValues] = await Promise.all([
      render(parents.at(-1), rendering),
      ...etagPaths.map(async fields => fields.at(-1)?.resolve(parents[fields.length - 2], rendering)),
    ]);
    return { body, etagValues };
  };
  return async (variables, context) => {
    const rendering = new Rendering({ variables, context });
    const parents: unknown[] = [];
    try {
      let value: unknown;
      for (const field of path) {
        value = await field.resolve(value, rendering);
        if (value === null || value === undefined) return null;
        parents.push(value);
      }
      return await renderBody(parents, { variables, context });
    } catch (error) {
      throw translateInvalidInput(operation, operation.bodyPath.slice(0, parents.length + 1), error);
    }
  };
}

function compilePath(graph: GraphQLSchema, operation: Operation, keys: readonly string[]): CompiledField[] {
  const fragments = fragmentsOf(operation.document);
  let type: GraphQLNamedType | null | undefined =
    operation.kind === 'query' ? graph.getQueryType() : graph.getMutationType();
  return fieldsAlong(operation.document, operation.name, keys).map(selected => {
    const field = isObjectType(type) ? type.getFields()[selected.node.name.value] : undefined;
    if (!field) throw new Error(`The graph has no field ${keys.join('.')} of ${operation.name}`);
    type = getNamedType(field.type);
    return { field, selected, resolve: compileResolver(field, selected, fragments) };
  });
}

function shapeOf(type: GraphQLOutputType): Shape | undefined {
  const named = getNamedType(type);
  if (!isObjectType(named)) return undefined;
  return new Map(Object.entries(named.getFields()).map(([key, field]) => [key, fieldShapeOf(field)]));
}

function fieldShapeOf({ type, extensions }: GraphQLField<unknown, unknown>): FieldShape {
  const { default: fallback, constant }: FieldExtensions = extensions;
  return {
    optional: !isNonNullType(type),
    fallback: fallback === undefined ? undefined : JSON.stringify(fallback),
    constant: constant === undefined ? undefined : JSON.stringify(constant),
    shape: shapeOf(type),
  };
}
