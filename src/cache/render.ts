import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { compileResolve, type Rendered, type Rendering } from './rendering.ts';
import { type Fragments, type SelectedField, selectedFields } from './selected-fields.ts';
import { type Chunk, Writer } from './writer.ts';

type Render = (value: unknown, rendering: Rendering) => Rendered;

/** What a body makes of a field, where that differs from what the graph says. */
export interface FieldShape {
  /** Left out where it is null. */
  readonly optional: boolean;
  /** JSON for where it is null. */
  readonly fallback: string | undefined;
  /** JSON that stands there whatever the graph says; it knows nothing of such a field. */
  readonly constant: string | undefined;
  readonly below: Shape | undefined;
}

/** How a body writes an object: its fields by their keys, in order. */
export type Shape = ReadonlyMap<string, FieldShape>;

/** Writes values of a type as JSON. With a form it writes only what that knows. */
export function compileRender(
  type: GraphQLOutputType,
  selected: Pick<SelectedField, 'key' | 'selections'>,
  fragments: Fragments,
  form?: Shape,
): Render {
  if (isNonNullType(type)) return compileRender(type.ofType, selected, fragments, form);
  if (isListType(type)) return listOf(compileRender(type.ofType, selected, fragments, form));
  if (isObjectType(type)) return compileObject(type, selected, fragments, form);
  if (!isLeafType(type)) throw new Error(`${selected.key} has an abstract type`);
  return value => JSON.stringify(type.serialize(value));
}

/** Writes each object once, however often the answer repeats it. */
function compileObject(
  type: GraphQLObjectType,
  selected: Pick<SelectedField, 'selections'>,
  fragments: Fragments,
  form: Shape | undefined,
): Render {
  const fields = compileFields(type, selected, fragments, form);
  return (object, rendering) => {
    let known = rendering.written.get(fields);
    if (!known) {
      known = new Map();
      rendering.written.set(fields, known);
    }
    let piece = known.get(object);
    if (piece === undefined) {
      piece = renderFields(fields, object, rendering);
      known.set(object, piece);
    }
    return piece;
  };
}

interface CompiledField {
  /** The key as JSON with its colon, behind what opens the object. */
  readonly firstLabel: string;
  /** The same behind another field. */
  readonly nextLabel: string;
  resolve(object: unknown, rendering: Rendering): unknown;
  /** Null where the field is left out. */
  render(value: unknown, rendering: Rendering): Rendered<Chunk | null>;
}

function compileFields(
  type: GraphQLObjectType,
  { selections }: Pick<SelectedField, 'selections'>,
  fragments: Fragments,
  form: Shape | undefined,
): CompiledField[] {
  const selected = selectedFields(selections, fragments);
  if (!form) return selected.map(field => compileField(type, field, fragments, undefined));
  const byKey = new Map(selected.map(field => [field.key, field]));
  return [...form].map(([key, given]) => {
    if (given.constant !== undefined) return constantField(key, given.constant);
    const field = byKey.get(key);
    if (!field) throw new Error(`The text selects nothing as ${key}`);
    return compileField(type, field, fragments, given);
  });
}

function constantField(key: string, json: string): CompiledField {
  return { ...labelsOf(key), resolve: () => null, render: () => json };
}

function labelsOf(key: string): Pick<CompiledField, 'firstLabel' | 'nextLabel'> {
  const label = `${JSON.stringify(key)}:`;
  return { firstLabel: `{${label}`, nextLabel: `,${label}` };
}

function compileField(
  type: GraphQLObjectType,
  selected: SelectedField,
  fragments: Fragments,
  given: FieldShape | undefined,
): CompiledField {
  const name = selected.node.name.value;
  const field = type.getFields()[name];
  // The one field that every type has without defining it.
  if (!field) return constantField(selected.key, JSON.stringify(type.name));
  const render = compileRender(field.type, selected, fragments, given?.below);
  const fallback = given?.fallback ?? (isNonNullType(field.type) ? undefined : 'null');
  return {
    ...labelsOf(selected.key),
    resolve: compileResolve(field, selected, fragments),
    render: (value, rendering) => {
      if (value !== null && value !== undefined) return render(value, rendering);
      if (given?.optional && given.fallback === undefined) return null;
      if (fallback === undefined) throw new Error(`${type.name}.${name} is null`);
      return fallback;
    },
  };
}

function renderFields(fields: readonly CompiledField[], object: unknown, rendering: Rendering): Rendered {
  const pieces = begin(fields, field => {
    const value = field.resolve(object, rendering);
    return value instanceof Promise
      ? value.then(loaded => field.render(loaded, rendering))
      : field.render(value, rendering);
  });
  return pieces instanceof Promise
    ? pieces.then(all => joinFields(fields, all, rendering))
    : joinFields(fields, pieces, rendering);
}

function joinFields(fields: readonly CompiledField[], pieces: readonly (Chunk | null)[], rendering: Rendering): Chunk {
  const writer = new Writer(rendering.maxBytes);
  let isEmpty = true;
  let at = 0;
  for (const { firstLabel, nextLabel } of fields) {
    const piece = pieces[at++] ?? null;
    if (piece === null) continue;
    writer.write(isEmpty ? firstLabel : nextLabel);
    writer.write(piece);
    isEmpty = false;
  }
  writer.write(isEmpty ? '{}' : '}');
  return writer.piece();
}

function listOf(renderItem: Render): Render {
  return (list, rendering) => {
    const items = Array.isArray(list) ? list : [...(list as Iterable<unknown>)];
    const pieces = begin(items, item => (item === null ? 'null' : renderItem(item, rendering)));
    return pieces instanceof Promise ? pieces.then(all => joinItems(all, rendering)) : joinItems(pieces, rendering);
  };
}

function joinItems(pieces: readonly Chunk[], rendering: Rendering): Chunk {
  const writer = new Writer(rendering.maxBytes);
  let separator = '[';
  for (const piece of pieces) {
    writer.write(separator);
    writer.write(piece);
    separator = ',';
  }
  writer.write(separator === '[' ? '[]' : ']');
  return writer.piece();
}

/** Begins all parts before it waits for any, so that what they need is loaded together. */
function begin<Part, Text>(parts: readonly Part[], render: (part: Part) => Rendered<Text>): Rendered<Text[]> {
  const begun = new Array<Rendered<Text>>(parts.length);
  let waits = false;
  try {
    for (let at = 0; at < parts.length; at++) {
      const piece = render(parts[at] as Part);
      if (piece instanceof Promise) waits = true;
      begun[at] = piece;
    }
  } catch (error) {
    // This one is told; what else may fail has nobody to hear of it.
    for (const piece of begun) if (piece instanceof Promise) piece.catch(() => {});
    throw error;
  }
  return waits ? Promise.all(begun) : (begun as Text[]);
}
