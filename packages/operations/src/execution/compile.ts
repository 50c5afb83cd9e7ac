import { type DocumentNode, type GraphQLNamedType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import type { Chunk } from './json-writer.ts';
import { compileRenderer, type Shape } from './renderer.ts';
import { compileResolver, Rendering, type RenderingOptions } from './resolve.ts';
import { type Fragments, fragmentsOf, type SelectedField } from './selected-fields.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** What is rendered of an operation, and what beside it: each a path of fields from the root. */
export interface OperationSource {
  readonly document: DocumentNode;
  readonly kind: 'query' | 'mutation';
  readonly body: readonly SelectedField[];
  /** The parents of these fields are on the path to the body. */
  readonly etags: readonly (readonly SelectedField[])[];
}

export interface CompileOptions {
  /** How the body deviates from the graph. */
  readonly shape?: Shape | undefined;
  readonly limits?: Pick<RenderingOptions, 'maxBytes' | 'maxObjects'>;
  /** Translates what the resolver of the field at these response keys has thrown. */
  readonly translateError?: (error: unknown, keys: readonly string[]) => unknown;
}

/** The body of an operation as JSON, and the values of its ETag. */
export interface Result {
  readonly body: Chunk;
  readonly etagValues: readonly unknown[];
}

/** Runs an operation; null where a field on the path to its body is null. Variables are not validated again. */
export type CompiledOperation = (variables: Variables, context: unknown) => Promise<Result | null>;

/** Compiles an operation to calls of the graph's resolvers and a renderer that writes their results, without an object in between. */
export function compileOperation(
  graph: GraphQLSchema,
  { document, kind, body, etags }: OperationSource,
  { shape, limits, translateError = error => error }: CompileOptions = {},
): CompiledOperation {
  const fragments = fragmentsOf(document, graph);
  const root = kind === 'query' ? graph.getQueryType() : graph.getMutationType();
  const path = compilePath(root, body, fragments);
  const etagPaths = etags.map(fields => compilePath(root, fields, fragments));
  const last = path.at(-1);
  if (!last) throw new Error('The operation has no body');
  const render = compileRenderer(last.field.type, last.selected, fragments, shape);
  // Its own Rendering: one that lives as long as the request would promote all chunks to V8's old generation.
  const renderBody = async (parents: readonly unknown[], options: RenderingOptions): Promise<Result> => {
    const rendering = new Rendering(options);
    // The body is started first, so that the values of the ETag come from what the body loads.
    const [rendered, ...etagValues] = await Promise.all([
      render(parents.at(-1), rendering),
      ...etagPaths.map(async fields => fields.at(-1)?.resolve(parents[fields.length - 2], rendering)),
    ]);
    return { body: rendered, etagValues };
  };
  return async (variables, context) => {
    const options = { variables, context, schema: graph, ...limits };
    const rendering = new Rendering(options);
    const parents: unknown[] = [];
    try {
      let value: unknown;
      for (const field of path) {
        value = await field.resolve(value, rendering);
        if (value === null || value === undefined) return null;
        parents.push(value);
      }
      return await renderBody(parents, options);
    } catch (error) {
      const keys = body.slice(0, parents.length + 1).map(({ key }) => key);
      throw translateError(error, keys);
    }
  };
}

function compilePath(root: GraphQLNamedType | null | undefined, path: readonly SelectedField[], fragments: Fragments) {
  let type = root;
  return path.map(selected => {
    const field = isObjectType(type) ? type.getFields()[selected.node.name.value] : undefined;
    if (!field) throw new Error(`The graph has no field ${path.map(({ key }) => key).join('.')}`);
    type = getNamedType(field.type);
    return { field, selected, resolve: compileResolver(field, selected, fragments) };
  });
}
