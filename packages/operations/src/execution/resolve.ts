import { ResponseTooLarge } from '@carte/base/errors';
import { isPause, TimeSlice } from '@carte/base/time-slice';
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type ValueNode,
} from 'graphql';
import type { Chunk } from './json-writer.ts';
import type { Fragments, ResolveInfo, SelectedField } from './selected-fields.ts';

/** A promise only where a field has to be loaded: most fields are in memory, and awaiting costs more than writing. */
export type PromiseOrValue<Value> = Value | Promise<Value>;

export interface RenderingOptions {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  /** Where fields may be of an interface or a union. */
  readonly schema?: GraphQLSchema;
  /** Aborts rendering with a RangeError beyond it; for queries, whose size no contract bounds. */
  readonly maxBytes?: number;
  /** Likewise for the objects in lists, with `ResponseTooLarge`. */
  readonly maxObjects?: number;
}

/** The state of rendering one response: the arguments of its resolvers and the chunks rendered so far. */
export class Rendering {
  readonly variables: RenderingOptions['variables'];
  readonly context: unknown;
  readonly schema: GraphQLSchema | undefined;
  readonly maxBytes: number | undefined;
  /** By compiled selection, then by object. */
  readonly chunks = new Map<object, Map<unknown, PromiseOrValue<Chunk>>>();
  /** By compiled selection: the object that was rendered last. */
  readonly lastChunks = new Map<object, { object: unknown; chunk: PromiseOrValue<Chunk> }>();
  /** Argument values by field of the document. */
  readonly args = new Map<object, Record<string, unknown>>();

  /** Created for the first long list. */
  #slice: TimeSlice | undefined;
  #isSliceOver = false;
  #elements = 0;
  #objectsLeft: number;

  constructor({ variables, context, schema, maxBytes, maxObjects = Number.POSITIVE_INFINITY }: RenderingOptions) {
    this.#objectsLeft = maxObjects;
    this.variables = variables;
    this.context = context;
    this.schema = schema;
    this.maxBytes = maxBytes;
  }

  countObjects(count: number): void {
    this.#objectsLeft -= count;
    if (this.#objectsLeft < 0) throw new ResponseTooLarge('The response has too many objects in lists; request less.');
  }

  /** Whether the next element of a list is to be rendered in a later turn of the event loop: then those of the lists around it are, too. */
  isSliceOver(): boolean {
    if (!this.#isSliceOver && isPause(this.#elements++)) {
      this.#slice ??= new TimeSlice();
      this.#isSliceOver = this.#slice.isOver;
    }
    return this.#isSliceOver;
  }

  async yield(): Promise<void> {
    await this.#slice?.yield();
    this.#isSliceOver = false;
  }
}

/** Calls the resolver of a field with the arguments that the document gives it. */
export function compileResolver(
  field: GraphQLField<unknown, unknown>,
  { node, selections }: Pick<SelectedField, 'node' | 'selections'>,
  fragments: Fragments,
) {
  const { name, resolve: limited, extensions } = field;
  const resolve = (extensions.unlimited as typeof limited) ?? limited;
  if (!resolve || resolve === defaultFieldResolver) {
    return (object: unknown): unknown => (object as Readonly<Record<string, unknown>>)[name];
  }
  const partial: ResolveInfo = {
    fieldName: name,
    fieldNodes: [{ ...node, selectionSet: { kind: Kind.SELECTION_SET, selections } }],
    fragments: Object.fromEntries(fragments),
  };
  // The types of our resolvers have no more of it (codegen.yml).
  const info = partial as GraphQLResolveInfo;
  if (field.args.length === 0) return (object: unknown, { context }: Rendering) => resolve(object, {}, context, info);
  const readArguments = compileArguments(field, node);
  return (object: unknown, rendering: Rendering): unknown => {
    let args = rendering.args.get(info);
    if (!args) {
      args = readArguments(rendering.variables);
      rendering.args.set(info, args);
    }
    return resolve(object, args, rendering.context, info);
  };
}

/** Reads arguments as `getArgumentValues` does, which coerces every literal in each request. */
function compileArguments(field: GraphQLField<unknown, unknown>, node: FieldNode) {
  const variableOf = new Map<string, string>();
  for (const { name, value } of node.arguments ?? []) {
    if (value.kind === Kind.VARIABLE) variableOf.set(name.value, value.name.value);
    else if (hasVariable(value))
      return (variables: RenderingOptions['variables']) => getArgumentValues(field, node, { ...variables });
  }
  const others = { ...field, args: field.args.filter(({ name }) => !variableOf.has(name)) };
  const constants = getArgumentValues(others, node);
  return (variables: RenderingOptions['variables']): Record<string, unknown> => {
    const args = { ...constants };
    for (const [name, variable] of variableOf) {
      const value = variables[variable];
      // The default of the argument applies, or null, or an error.
      if (value === undefined || value === null) return getArgumentValues(field, node, { ...variables });
      args[name] = value;
    }
    return args;
  };
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some(field => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}
