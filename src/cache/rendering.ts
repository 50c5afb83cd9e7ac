import { defaultFieldResolver, type GraphQLField, type GraphQLResolveInfo, getArgumentValues, Kind } from 'graphql';
import type { Fragments, SelectedField } from './selected-fields.ts';
import type { Chunk } from './writer.ts';

export interface RenderingOptions {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  /** Where a query, rather than a contract, says how much is asked for: beyond it, rendering ends with an error. */
  readonly maxBytes?: number;
}

/** One rendering: what resolvers get, and what has been worked out already. */
export class Rendering {
  readonly variables: RenderingOptions['variables'];
  readonly context: unknown;
  readonly maxBytes: number | undefined;
  /** Pieces by their objects, for each part of a text that writes objects. */
  readonly written = new Map<object, Map<unknown, Rendered>>();
  /** Arguments, for each field of a text. */
  readonly args = new Map<object, Record<string, unknown>>();

  constructor({ variables, context, maxBytes }: RenderingOptions) {
    this.variables = variables;
    this.context = context;
    this.maxBytes = maxBytes;
  }
}

/** A promise only where something has to be loaded: most of a menu is at hand, and waiting costs more than writing. */
export type Rendered<Text = Chunk> = Text | Promise<Text>;

/** Calls a field's resolver with the arguments of its place in the text. */
export function compileResolve(
  field: GraphQLField<unknown, unknown>,
  { node, selections }: Pick<SelectedField, 'node' | 'selections'>,
  fragments: Fragments,
) {
  const { name, resolve } = field;
  if (!resolve || resolve === defaultFieldResolver) {
    return (object: unknown): unknown => (object as Readonly<Record<string, unknown>>)[name];
  }
  // No resolver looks at more of it.
  const info = {
    fieldName: name,
    fieldNodes: [{ ...node, selectionSet: { kind: Kind.SELECTION_SET, selections } }],
    fragments: Object.fromEntries(fragments),
  } as Partial<GraphQLResolveInfo> as GraphQLResolveInfo;
  if (field.args.length === 0) return (object: unknown, { context }: Rendering) => resolve(object, {}, context, info);
  return (object: unknown, rendering: Rendering): unknown => {
    let args = rendering.args.get(info);
    if (!args) {
      args = getArgumentValues(field, node, { ...rendering.variables });
      rendering.args.set(info, args);
    }
    return resolve(object, args, rendering.context, info);
  };
}
