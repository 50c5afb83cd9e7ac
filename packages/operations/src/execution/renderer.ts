import { LazyJsonArray } from '@carte/base/lazy-json';
import {
  defaultTypeResolver,
  type GraphQLAbstractType,
  GraphQLBoolean,
  GraphQLID,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLString,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { byteLength, type Chunk, JsonWriter, toRepeated } from './json-writer.ts';
import { compileResolver, isComputed, type PromiseOrValue, type Rendering, rootMetaFields } from './resolve.ts';
import { type Fragments, type SelectedField, selectedFields } from './selected-fields.ts';

type Render = (value: unknown, rendering: Rendering) => PromiseOrValue<Chunk>;

/** How a body deviates from the graph in one field. */
export interface FieldShape {
  /** Omitted while it is null. */
  readonly optional: boolean;
  /** JSON in place of null. */
  readonly fallback: string | undefined;
  /** JSON of a field that the graph does not have. */
  readonly constant: string | undefined;
  readonly shape: Shape | undefined;
  /** The key that the document selects it as, where the object has another. */
  readonly key?: string | undefined;
  /** Whether it is an object of fields that the graph has beside it. */
  readonly isGroup?: boolean | undefined;
  /** Writes leaves as JSON, where they are not those of the graph. */
  readonly leaf?: ((value: unknown) => string) | undefined;
  /** The field of an object that stands for it. */
  readonly only?: string | undefined;
  /** Longer JSON is omitted. */
  readonly maxBytes?: number | undefined;
}

/** The fields of a JSON object by key, in order. */
export type Shape = ReadonlyMap<string, FieldShape>;

/** Compiles a renderer of values of a type to JSON; with a shape, exactly the fields of the shape are rendered. */
export function compileRenderer(
  type: GraphQLOutputType,
  selected: Pick<SelectedField, 'key' | 'selections'>,
  fragments: Fragments,
  shape?: Shape,
  { leaf = stringifyLeaf, only }: Pick<FieldShape, 'leaf' | 'only'> = {},
): Render {
  if (isNonNullType(type)) return compileRenderer(type.ofType, selected, fragments, shape, { leaf, only });
  if (isListType(type)) {
    const renderItem = compileRenderer(type.ofType, selected, fragments, shape, { leaf, only });
    return compileList(isNonNullType(type.ofType) ? renderPresent(renderItem, selected) : renderNullable(renderItem), {
      isOfObjects: isCompositeType(getNamedType(type)),
    });
  }
  if (isObjectType(type) && only !== undefined) return compileOnly(type, selected, fragments, shape?.get(only), only);
  if (isObjectType(type)) return compileObject(type, selected, fragments, shape);
  if (isAbstractType(type)) return compileAbstract(type, selected, fragments);
  return leaf === stringifyLeaf ? compileGraphLeaf(type) : value => leaf(type.serialize(value));
}

/** Compiles what writes a leaf as the graph has it, without a call where its type returns the value as it is. */
function compileGraphLeaf(type: GraphQLLeafType): Render {
  if (isEnumType(type)) {
    const texts = new Map(type.getValues().map(({ value, name }) => [value, JSON.stringify(name)]));
    return value => texts.get(value) ?? stringifyLeaf(type.serialize(value));
  }
  // Its text has nothing to escape.
  if (type.name === 'DateTime') return value => `"${type.serialize(value)}"`;
  const same = type === GraphQLBoolean ? 'boolean' : 'string';
  const isPlain = type === GraphQLBoolean || type === GraphQLString || type === GraphQLID;
  if (!isPlain) return value => stringifyLeaf(type.serialize(value));
  return value => stringifyLeaf(typeof value === same ? value : type.serialize(value));
}

/** Compiles a renderer for each type of objects that there are of an interface or a union, when the first of them is rendered. */
function compileAbstract(
  type: GraphQLAbstractType,
  selected: Pick<SelectedField, 'key' | 'selections'>,
  fragments: Fragments,
): Render {
  const byType = new Map<string, Render>();
  const resolveType = type.resolveType ?? defaultTypeResolver;
  return (value, rendering) => {
    const renderAs = (name: string | undefined): PromiseOrValue<Chunk> => {
      const object = name === undefined ? undefined : rendering.schema?.getType(name);
      if (!isObjectType(object) || !rendering.schema?.isSubType(type, object)) {
        throw new Error(`${name} is not a type of ${selected.key}`);
      }
      const render = byType.get(object.name) ?? compileRenderer(object, selected, fragments);
      byType.set(object.name, render);
      return render(value, rendering);
    };
    // As those of fields, they get no more of `info`.
    const info = { schema: rendering.schema } as GraphQLResolveInfo;
    const name = resolveType(value, rendering.context, info, type);
    return name instanceof Promise ? name.then(renderAs) : renderAs(name as string | undefined);
  };
}

/** Longer texts are left to `JSON.stringify`. */
const maxScannedLength = 40;

/** Does what `JSON.stringify` does, in a third of the time for what most leaves are: numbers, and short texts without anything to escape. */
function stringifyLeaf(value: unknown): string {
  if (typeof value === 'string' && value.length <= maxScannedLength) {
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code < 0x20 || code === 0x22 || code === 0x5c || code >= 0xd800) return JSON.stringify(value);
    }
    return `"${value}"`;
  }
  // Other numbers are written as null.
  return typeof value === 'number' && Number.isFinite(value) ? `${value}` : JSON.stringify(value);
}

/** Renders each object once per selection, however often the response repeats it. */
function compileObject(
  type: GraphQLObjectType,
  selected: Pick<SelectedField, 'selections'>,
  fragments: Fragments,
  shape: Shape | undefined,
): Render {
  const fields = compileFields(type, selected, fragments, shape);
  if (!leadsToList(type, selected, fragments)) return rememberLast(fields);
  return (object, rendering) => {
    let rendered = rendering.chunks.get(fields);
    if (!rendered) {
      rendered = new Map();
      rendering.chunks.set(fields, rendered);
    }
    let chunk = rendered.get(object);
    if (chunk === undefined) {
      chunk = toRepeated(renderFields(fields, object, rendering.forObject(rendered, object)));
      rendered.set(object, chunk);
      if (chunk instanceof Promise) replaceWhenDone(rendered, object, chunk);
    }
    if (!rendering.isLimited) return chunk;
    const count = (done: Chunk) => {
      rendering.countBelow(rendered, object);
      return done;
    };
    return chunk instanceof Promise ? chunk.then(count) : count(chunk);
  };
}

/** Whether there may be lists of objects below an object, so that rendering it costs more than to remember it. */
function leadsToList(
  type: GraphQLObjectType,
  { selections }: Pick<SelectedField, 'selections'>,
  fragments: Fragments,
): boolean {
  return selectedFields(selections, fragments, type).some(selected => {
    const field = type.getFields()[selected.node.name.value];
    const named = field && getNamedType(field.type);
    if (!field || !isCompositeType(named)) return false;
    if (isListType(getNullableType(field.type)) || !isObjectType(named)) return true;
    return leadsToList(named, selected, fragments);
  });
}

/** Renders an object again unless it is the one before, as the store of a list of orders is. */
function rememberLast(fields: readonly CompiledField[]): Render {
  return (object, rendering) => {
    const last = rendering.lastChunks.get(fields);
    if (last && last.object === object) return last.chunk;
    const chunk = renderFields(fields, object, rendering);
    if (last) {
      last.object = object;
      last.chunk = chunk;
    } else rendering.lastChunks.set(fields, { object, chunk });
    return chunk;
  };
}

/** Renders the value of one field of an object in place of the object. */
function compileOnly(
  type: GraphQLObjectType,
  selected: Pick<SelectedField, 'selections'>,
  fragments: Fragments,
  fieldShape: FieldShape | undefined,
  name: string,
): Render {
  const [field] = fieldShape ? compileFields(type, selected, fragments, new Map([[name, fieldShape]])) : [];
  if (!field) throw new Error(`The document selects nothing as ${name}`);
  const orNull = (chunk: Chunk | null) => chunk ?? 'null';
  return (object, rendering) => {
    const chunk = renderField(field, object, rendering);
    return chunk instanceof Promise ? chunk.then(orNull) : orNull(chunk);
  };
}

/** Lets those who render the object later go on without awaiting it. */
function replaceWhenDone(rendered: Map<unknown, PromiseOrValue<Chunk>>, object: unknown, chunk: Promise<Chunk>): void {
  // The rejection is handled by those who await the chunk.
  chunk.then(
    done => rendered.set(object, done),
    () => {},
  );
}

interface CompiledField {
  /** Whether it is more than a property of the object. */
  readonly isComputed: boolean;
  /** `{"key":` */
  readonly firstLabel: string;
  /** `,"key":` */
  readonly nextLabel: string;
  resolve(object: unknown, rendering: Rendering): unknown;
  /** Null where the field is omitted. */
  render(value: unknown, rendering: Rendering): PromiseOrValue<Chunk | null>;
}

function compileFields(
  type: GraphQLObjectType,
  { selections }: Pick<SelectedField, 'selections'>,
  fragments: Fragments,
  shape: Shape | undefined,
): CompiledField[] {
  const selected = selectedFields(selections, fragments, type);
  if (!shape) return selected.map(field => compileField(type, field, fragments, undefined));
  const byKey = new Map(selected.map(field => [field.key, field]));
  return [...shape].flatMap(([key, fieldShape]): CompiledField[] => {
    if (fieldShape.constant !== undefined) return [constantField(key, fieldShape.constant)];
    if (fieldShape.isGroup) {
      const render = compileObject(type, { selections }, fragments, fieldShape.shape);
      return [{ ...labelsOf(key), isComputed: false, resolve: object => object, render }];
    }
    const field = byKey.get(fieldShape.key ?? key);
    if (field) return [{ ...compileField(type, field, fragments, fieldShape), ...labelsOf(key) }];
    // Guests are not given every optional field.
    if (fieldShape.optional) return [];
    throw new Error(`The document selects nothing as ${key}`);
  });
}

function constantField(key: string, json: string): CompiledField {
  return { ...labelsOf(key), isComputed: false, resolve: () => null, render: () => json };
}

function labelsOf(key: string): Pick<CompiledField, 'firstLabel' | 'nextLabel'> {
  const label = `${JSON.stringify(key)}:`;
  return { firstLabel: `{${label}`, nextLabel: `,${label}` };
}

function compileField(
  type: GraphQLObjectType,
  selected: SelectedField,
  fragments: Fragments,
  fieldShape: FieldShape | undefined,
): CompiledField {
  const name = selected.node.name.value;
  const field = type.getFields()[name] ?? rootMetaFields.get(name);
  // `__typename`, which every type has and none defines.
  if (!field) return constantField(selected.key, JSON.stringify(type.name));
  const render = compileRenderer(field.type, selected, fragments, fieldShape?.shape, fieldShape ?? {});
  const maxBytes = fieldShape?.maxBytes;
  const fallback = fieldShape?.fallback ?? (isNonNullType(field.type) ? undefined : 'null');
  return {
    ...labelsOf(selected.key),
    isComputed: isComputed(field),
    resolve: compileResolver(field, selected, fragments),
    render: (value, rendering) => {
      if (value !== null && value !== undefined) {
        const chunk = render(value, rendering);
        if (maxBytes === undefined) return chunk;
        const orNull = (done: Chunk) => (byteLength(done) > maxBytes ? null : done);
        return chunk instanceof Promise ? chunk.then(orNull) : orNull(chunk);
      }
      if (fieldShape?.optional && fieldShape.fallback === undefined) return null;
      if (fallback === undefined) throw new Error(`${type.name}.${name} is null`);
      return fallback;
    },
  };
}

/** Most objects have short fields, and all of them in memory: these are joined as they are rendered. */
function renderFields(fields: readonly CompiledField[], object: unknown, rendering: Rendering): PromiseOrValue<Chunk> {
  let text = '';
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as CompiledField;
    const chunk =
      field.isComputed && rendering.isSliceOver()
        ? rendering.yield().then(() => renderField(field, object, rendering))
        : renderField(field, object, rendering);
    if (chunk === null) continue;
    if (typeof chunk !== 'string') return renderLongFields(fields.slice(index), object, { rendering, text, chunk });
    text += (text === '' ? field.firstLabel : field.nextLabel) + chunk;
  }
  return text === '' ? '{}' : `${text}}`;
}

function renderField(field: CompiledField, object: unknown, rendering: Rendering): PromiseOrValue<Chunk | null> {
  const value = field.resolve(object, rendering);
  return value instanceof Promise
    ? value.then(loaded => field.render(loaded, rendering))
    : field.render(value, rendering);
}

/** Renders an object whose fields are not all short and in memory: `fields` from the first of these on, whose chunk there is, after `text`. */
function renderLongFields(
  fields: readonly CompiledField[],
  object: unknown,
  begun: { readonly rendering: Rendering; readonly text: string; readonly chunk: PromiseOrValue<Chunk | null> },
): PromiseOrValue<Chunk> {
  const { rendering, text, chunk: firstChunk } = begun;
  const [first] = fields;
  const renderPart = (field: CompiledField) => (field === first ? firstChunk : renderField(field, object, rendering));
  const chunks = renderAll(fields, renderPart, rendering);
  const join = (all: readonly (Chunk | null)[]): Chunk => {
    const writer = new JsonWriter(rendering.maxBytes);
    let isEmpty = text === '';
    writer.write(text);
    let index = 0;
    for (const { firstLabel, nextLabel } of fields) {
      const chunk = all[index++] ?? null;
      if (chunk === null) continue;
      writer.write(isEmpty ? firstLabel : nextLabel);
      writer.write(chunk);
      isEmpty = false;
    }
    writer.write(isEmpty ? '{}' : '}');
    return writer.toChunk();
  };
  return chunks instanceof Promise ? chunks.then(join) : join(chunks);
}

const isAbsent = (value: unknown) => value === null || value === undefined;

const renderNullable =
  (render: Render): Render =>
  (value, rendering) =>
    isAbsent(value) ? 'null' : render(value, rendering);

const renderPresent =
  (render: Render, { key }: Pick<SelectedField, 'key'>): Render =>
  (value, rendering) => {
    if (isAbsent(value)) throw new Error(`An element of ${key} is null`);
    return render(value, rendering);
  };

function compileList(renderItem: Render, { isOfObjects }: { readonly isOfObjects: boolean }): Render {
  return (list, rendering) => {
    const written = list instanceof LazyJsonArray ? list.compactText : undefined;
    if (written !== undefined) return written;
    const items = Array.isArray(list) ? list : [...(list as Iterable<unknown>)];
    if (isOfObjects) rendering.countObjects(items.length);
    const chunks = renderAll(items, item => renderItem(item, rendering), rendering);
    return chunks instanceof Promise ? chunks.then(all => joinItems(all, rendering)) : joinItems(chunks, rendering);
  };
}

function joinItems(chunks: readonly Chunk[], rendering: Rendering): Chunk {
  const writer = new JsonWriter(rendering.maxBytes);
  let separator = '[';
  for (const chunk of chunks) {
    writer.write(separator);
    writer.write(chunk);
    separator = ',';
  }
  writer.write(separator === '[' ? '[]' : ']');
  return writer.toChunk();
}

/** Starts to render all parts before it awaits any, so that their loads are batched, but over several turns of the event loop if they take long. */
function renderAll<Part, Result>(
  parts: readonly Part[],
  render: (part: Part) => PromiseOrValue<Result>,
  rendering: Rendering,
): PromiseOrValue<Result[]> {
  const results = new Array<PromiseOrValue<Result>>(parts.length);
  let hasPromise = false;
  try {
    for (let index = 0; index < parts.length; index++) {
      if (rendering.isSliceOver()) return renderRest(parts, results.slice(0, index), render, rendering);
      const result = render(parts[index] as Part);
      if (result instanceof Promise) hasPromise = true;
      results[index] = result;
    }
  } catch (error) {
    swallowRejections(results);
    throw error;
  }
  return hasPromise ? Promise.all(results) : (results as Result[]);
}

/** Renders the parts that have no result yet in later turns of the event loop. */
async function renderRest<Part, Result>(
  parts: readonly Part[],
  results: PromiseOrValue<Result>[],
  render: (part: Part) => PromiseOrValue<Result>,
  rendering: Rendering,
): Promise<Result[]> {
  swallowRejections(results);
  for (let index = results.length; index < parts.length; index++) {
    if (rendering.isSliceOver()) await rendering.yield();
    const result = render(parts[index] as Part);
    results.push(result);
    if (result instanceof Promise) swallowRejections([result]);
  }
  return Promise.all(results);
}

/** The first error is thrown, or the first rejection awaited; the others must not crash the process. */
function swallowRejections(results: readonly unknown[]): void {
  for (const result of results) if (result instanceof Promise) result.catch(() => {});
}
