import { ResponseTooLarge } from '@carte/base/errors';
import { isPause, TimeSlice } from '@carte/base/time-slice';
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  introspectionTypes,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
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
  /** Whether the objects in lists are counted. */
  readonly isLimited: boolean;
  /** By compiled selection, then by object. */
  readonly chunks: Map<object, Map<unknown, PromiseOrValue<Chunk>>>;
  /** By compiled selection: the object that was rendered last. */
  readonly lastChunks: Map<object, { object: unknown; chunk: PromiseOrValue<Chunk> }>;
  /** Argument values by field of the document. */
  readonly args: Map<object, Record<string, unknown>>;

  readonly #options: RenderingOptions;
  readonly #root: Rendering;
  /** By the chunks of a selection, then by object. */
  readonly #ofObjects: Map<object, Map<unknown, Rendering>>;
  #objects = 0;
  /** Created for the first long list. */
  #slice: TimeSlice | undefined;
  #isSliceOver = false;
  #elements = 0;

  constructor(options: RenderingOptions, root?: Rendering) {
    this.variables = options.variables;
    this.context = options.context;
    this.schema = options.schema;
    this.maxBytes = options.maxBytes;
    this.isLimited = options.maxObjects !== undefined;
    this.chunks = root?.chunks ?? new Map();
    this.lastChunks = root?.lastChunks ?? new Map();
    this.args = root?.args ?? new Map();
    this.#options = options;
    this.#root = root ?? this;
    this.#ofObjects = root ? root.#ofObjects : new Map();
  }

  /** The same rendering for an object whose chunk may be written again: where objects are limited, it counts those below this one. */
  forObject(chunks: object, object: unknown): Rendering {
    if (!this.isLimited) return this;
    const ofObjects = this.#ofObjects.get(chunks) ?? new Map<unknown, Rendering>();
    this.#ofObjects.set(chunks, ofObjects);
    const rendering = new Rendering(this.#options, this.#root);
    ofObjects.set(object, rendering);
    return rendering;
  }

  /** Counts the objects below one that is rendered, each time that its chunk is written. */
  countBelow(chunks: object, object: unknown): void {
    const rendering = this.#ofObjects.get(chunks)?.get(object);
    if (rendering) this.countObjects(rendering.#objects);
  }

  countObjects(count: number): void {
    this.#objects += count;
    if (this.#objects <= (this.#options.maxObjects ?? Number.POSITIVE_INFINITY)) return;
    throw new ResponseTooLarge('The response has too many objects in lists; request less.');
  }

  /** Whether the next element of a list, or field of an object, is to be rendered in a later turn of the event loop: then those around it are, too. */
  isSliceOver(): boolean {
    if (this.#root !== this) return this.#root.isSliceOver();
    if (!this.#isSliceOver && isPause(this.#elements++)) {
      this.#slice ??= new TimeSlice();
      this.#isSliceOver = this.#slice.isOver;
    }
    return this.#isSliceOver;
  }

  async yield(): Promise<void> {
    if (this.#root !== this) return this.#root.yield();
    await this.#slice?.yield();
    this.#isSliceOver = false;
  }
}

/** The fields of the root that no type defines: those of introspection. */
export const rootMetaFields: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map(field => [field.name, field]),
);

/** Fields whose resolvers may read the schema. */
const introspectionFields = new Set([
  ...rootMetaFields.values(),
  ...introspectionTypes.filter(isObjectType).flatMap(type => Object.values(type.getFields())),
]);

const resolverOf = ({ resolve, extensions }: GraphQLField<unknown, unknown>) =>
  (extensions.unlimited as typeof resolve) ?? resolve;

/** Creates the resolver of a field that is a property of another name, which compiled operations read without a call. */
export const propertyResolver = <Name extends string>(property: Name) =>
  Object.assign(<Value>(object: Readonly<Record<Name, Value>>): Value => object[property], { property });

/** The property of its object that a field is; undefined if it is more. */
function propertyOf(field: GraphQLField<unknown, unknown>): string | undefined {
  const resolve = resolverOf(field);
  if (!resolve || resolve === defaultFieldResolver) return field.name;
  return 'property' in resolve ? String(resolve.property) : undefined;
}

/** Whether a field is more than a property of its object. */
export const isComputed = (field: GraphQLField<unknown, unknown>): boolean => propertyOf(field) === undefined;

/** Calls the resolver of a field with the arguments that the document gives it. */
export function compileResolver(
  field: GraphQLField<unknown, unknown>,
  { node, selections }: Pick<SelectedField, 'node' | 'selections'>,
  fragments: Fragments,
) {
  const property = propertyOf(field);
  if (property !== undefined) {
    return (object: unknown): unknown => (object as Readonly<Record<string, unknown>>)[property];
  }
  const { name } = field;
  const resolve = resolverOf(field) ?? defaultFieldResolver;
  const partial: ResolveInfo = {
    fieldName: name,
    fieldNodes: [{ ...node, selectionSet: { kind: Kind.SELECTION_SET, selections } }],
    fragments: Object.fromEntries(fragments),
  };
  // The types of our resolvers have no more of it (codegen.yml).
  const info = partial as GraphQLResolveInfo;
  if (introspectionFields.has(field)) {
    return (object: unknown, { variables, context, schema }: Rendering) =>
      resolve(object, getArgumentValues(field, node, { ...variables }), context, {
        ...info,
        schema: schema as GraphQLSchema,
      });
  }
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
