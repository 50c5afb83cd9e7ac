import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type Fragments, type SelectedField, selectedFields } from './fields.ts';
import { bytesOf, type Piece, Writer } from './writer.ts';

/** One rendering: what resolvers get, and what has been rendered already. */
export interface Rendering {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  /** Where a query, rather than a contract, says how much is asked for: beyond it, rendering ends with an error. */
  readonly maxBytes?: number;
}

export type Render<Value = unknown> = (value: Value, rendering: Rendering) => Piece;

/** What a body makes of a field, where that differs from what the graph says. */
export interface FieldForm {
  /** Left out where it is null. */
  readonly optional: boolean;
  /** JSON for where it is null. */
  readonly fallback?: string | undefined;
}

/** How a body writes an object, by the keys of its fields; a field that it does not know is not part of it. */
export interface Form {
  field(key: string): { readonly form: FieldForm; readonly below: Form | undefined } | undefined;
}

/** Writes an object whose fields may first have to be loaded, such as a store; everything below them is at hand then. */
export function compileLoaded(
  type: GraphQLObjectType,
  selected: Pick<SelectedField, 'selections'>,
  fragments: Fragments,
  form: Form | undefined,
): (object: unknown, rendering: Rendering) => Promise<Buffer> {
  const fields = compileFields(type, selected, fragments, form);
  return async (object, rendering) => {
    // All are asked for before any is waited for, so that they are loaded together.
    const values = await Promise.all(fields.map(field => field.resolve(object, rendering)));
    return bytesOf(renderFields(fields, (_field, at) => values[at], rendering));
  };
}

/**
 * Writes objects of `@ofConfiguration` fields. Such a field depends on its object and arguments alone, so each object is
 * written once, however often the tree repeats it.
 */
function compileObject(
  type: GraphQLObjectType,
  selected: Pick<SelectedField, 'selections'>,
  fragments: Fragments,
  form: Form | undefined,
): Render {
  const fields = compileFields(type, selected, fragments, form);
  const written = new WeakMap<Rendering, Map<unknown, Piece>>();
  return (object, rendering) => {
    let known = written.get(rendering);
    if (!known) {
      known = new Map();
      written.set(rendering, known);
    }
    let piece = known.get(object);
    if (piece === undefined) {
      piece = renderFields(fields, field => atHand(field, object, rendering), rendering);
      known.set(object, piece);
    }
    return piece;
  };
}

function atHand({ label, resolve }: CompiledField, object: unknown, rendering: Rendering): unknown {
  const value = resolve(object, rendering);
  if (value instanceof Promise) throw new Error(`${label} has to be loaded, so it cannot be of the configuration`);
  return value;
}

function compileFields(
  type: GraphQLObjectType,
  { selections }: Pick<SelectedField, 'selections'>,
  fragments: Fragments,
  form: Form | undefined,
): CompiledField[] {
  return selectedFields(selections, fragments)
    .filter(({ key }) => !form || form.field(key))
    .map(selected => compileField(type, selected, fragments, form?.field(selected.key)));
}

interface CompiledField {
  /** The key as JSON, with its colon. */
  readonly label: string;
  resolve(object: unknown, rendering: Rendering): unknown;
  /** Null where the field is left out. */
  render(value: unknown, rendering: Rendering): Piece | null;
}

function renderFields(
  fields: readonly CompiledField[],
  pick: (field: CompiledField, at: number) => unknown,
  rendering: Rendering,
): Piece {
  const writer = new Writer(rendering.maxBytes);
  let separator = '{';
  let at = 0;
  for (const field of fields) {
    const piece = field.render(pick(field, at++), rendering);
    if (piece === null) continue;
    writer.write(separator + field.label);
    writer.write(piece);
    separator = ',';
  }
  writer.write(separator === '{' ? '{}' : '}');
  return writer.piece();
}

function compileField(
  type: GraphQLObjectType,
  selected: SelectedField,
  fragments: Fragments,
  given: ReturnType<Form['field']>,
): CompiledField {
  const label = `${JSON.stringify(selected.key)}:`;
  const name = selected.node.name.value;
  const field = type.getFields()[name];
  // The one field that every type has without defining it.
  if (!field) return { label, resolve: () => null, render: () => JSON.stringify(type.name) };
  const { optional = false, fallback } = given?.form ?? {};
  const render = compileValue(field.type, selected, fragments, given?.below);
  return {
    label,
    resolve: compileResolve(field, selected),
    render: (value, rendering) => {
      if (value !== null && value !== undefined) return render(value, rendering);
      if (fallback !== undefined) return fallback;
      if (optional) return null;
      if (isNonNullType(field.type)) throw new Error(`${type.name}.${name} is null`);
      return 'null';
    },
  };
}

/** Calls a field's resolver with the arguments of its place in the text. */
export function compileResolve(field: GraphQLField<unknown, unknown>, { node }: Pick<SelectedField, 'node'>) {
  const { resolve } = field;
  if (!resolve || resolve === defaultFieldResolver) {
    return (object: unknown): unknown => Reflect.get(object as object, field.name);
  }
  const argumentsOf = new WeakMap<Rendering, Record<string, unknown>>();
  return (object: unknown, rendering: Rendering): unknown => {
    let args = argumentsOf.get(rendering);
    if (!args) {
      args = getArgumentValues(field, node, { ...rendering.variables });
      argumentsOf.set(rendering, args);
    }
    return resolve(object, args, rendering.context, infoOf(field.name));
  };
}

/** No resolver of a configuration looks at it. */
const infoOf = (fieldName: string) => ({ fieldName }) as GraphQLResolveInfo;

function compileValue(
  type: GraphQLOutputType,
  selected: SelectedField,
  fragments: Fragments,
  form: Form | undefined,
): Render {
  if (isNonNullType(type)) return compileValue(type.ofType, selected, fragments, form);
  if (isListType(type)) return listOf(compileValue(type.ofType, selected, fragments, form));
  if (isObjectType(type)) return compileObject(type, selected, fragments, form);
  if (!isLeafType(type)) throw new Error(`${selected.key} has an abstract type`);
  return value => JSON.stringify(type.serialize(value));
}

function listOf(renderItem: Render): Render {
  return (list, rendering) => {
    const writer = new Writer(rendering.maxBytes);
    let separator = '[';
    for (const item of list as Iterable<unknown>) {
      writer.write(separator);
      writer.write(item === null ? 'null' : renderItem(item, rendering));
      separator = ',';
    }
    writer.write(separator === '[' ? '[]' : ']');
    return writer.piece();
  };
}
