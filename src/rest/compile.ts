import type { GraphQLField, GraphQLOutputType, GraphQLSchema } from 'graphql';
import { getNamedType, isNonNullType, isObjectType } from 'graphql';
import { compileRender, type FieldShape, type Shape } from '../cache/render.ts';
import { compileResolve, Rendering, type RenderingOptions } from '../cache/rendering.ts';
import {
  type Fragments,
  fragmentsOf,
  operationOf,
  type SelectedField,
  selectedFields,
} from '../cache/selected-fields.ts';
import type { Chunk } from '../cache/writer.ts';
import type { Operation } from './contract/contract.ts';
import type { FieldExtensions } from './contract/outputs.ts';
import { placed } from './error-paths.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** The body of an operation, and the values that its ETag is made of. */
export interface Result<Body> {
  readonly body: Body;
  readonly etagValues: readonly unknown[];
}

/** Runs an operation; null where something on the way to its body is. Variables are trusted: they have passed their readers. */
export type CompiledOperation<Body> = (variables: Variables, context: unknown) => Promise<Result<Body> | null>;

interface Step {
  readonly field: GraphQLField<unknown, unknown>;
  readonly selected: SelectedField;
  readonly resolve: (object: unknown, rendering: Rendering) => unknown;
}

/**
 * Compiles an operation into calls of the graph's resolvers and a writer that renders what they return in the shape of the
 * derived type, without an object of that shape in between; `finish` makes the body of the JSON.
 */
export function compileOperation<Body>(
  graph: GraphQLSchema,
  operation: Operation,
  bodyType: GraphQLOutputType,
  finish: (chunks: Chunk) => Body,
): CompiledOperation<Body> {
  const fragments = fragmentsOf(operation.document);
  const path = stepsTo(graph, operation, operation.body, fragments);
  const etags = operation.etags.map(keys => stepsTo(graph, operation, keys, fragments));
  const last = path.at(-1);
  if (!last) throw new Error(`${operation.name} has no body`);
  const render = compileRender(last.field.type, last.selected, fragments, formOf(bodyType));
  // A rendering of its own: one as old as the request would keep all its chunks beyond the young generation's collector.
  const renderBody = async (parents: readonly unknown[], options: RenderingOptions): Promise<Result<Body>> => {
    const rendering = new Rendering(options);
    // The body is started first, so that the values of the ETag come from what the body loads.
    const [chunks, ...etagValues] = await Promise.all([
      render(parents.at(-1), rendering),
      ...etags.map(async steps => steps.at(-1)?.resolve(parents[steps.length - 2], rendering)),
    ]);
    return { body: finish(chunks), etagValues };
  };
  return async (variables, context) => {
    const rendering = new Rendering({ variables, context });
    const parents: unknown[] = [];
    try {
      let value: unknown;
      for (const step of path) {
        value = await step.resolve(value, rendering);
        if (value === null || value === undefined) return null;
        parents.push(value);
      }
      return await renderBody(parents, { variables, context });
    } catch (error) {
      throw placed(operation, operation.body.slice(0, parents.length + 1), error);
    }
  };
}

/** The fields along a path of keys, from the root. */
function stepsTo(graph: GraphQLSchema, operation: Operation, keys: readonly string[], fragments: Fragments): Step[] {
  const node = operationOf(operation.document, operation.name);
  let type = node && graph.getRootType(node.operation);
  let selections = node?.selectionSet.selections ?? [];
  return keys.map(key => {
    const selected = selectedFields(selections, fragments).find(field => field.key === key);
    const field = selected && type?.getFields()[selected.node.name.value];
    if (!field) throw new Error(`${operation.name} has nothing at ${keys.join('.')}`);
    const below = getNamedType(field.type);
    type = isObjectType(below) ? below : undefined;
    selections = selected.selections;
    return { field, selected, resolve: compileResolve(field, selected, fragments) };
  });
}

/** How a derived type shapes what the graph returns: optional fields are left out, defaults put in. */
function formOf(type: GraphQLOutputType): Shape | undefined {
  const named = getNamedType(type);
  if (!isObjectType(named)) return undefined;
  return new Map(Object.entries(named.getFields()).map(([key, field]) => [key, formOfField(field)]));
}

function formOfField({ type, extensions }: GraphQLField<unknown, unknown>): FieldShape {
  const { default: fallback, constant }: FieldExtensions = extensions;
  return {
    optional: !isNonNullType(type),
    fallback: fallback === undefined ? undefined : JSON.stringify(fallback),
    constant: constant === undefined ? undefined : JSON.stringify(constant),
    below: formOf(type),
  };
}
