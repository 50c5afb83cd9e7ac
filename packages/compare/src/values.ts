import { isObject } from '@carte/base/json';

export type Path = readonly (string | number)[];

/** The entity that a difference belongs to or, outside of entities, the response by its path. */
export interface Subject {
  /** Type name in the graph. */
  readonly type: string;
  readonly id: string;
  /** Whether the id is unique within a store only. */
  readonly local: boolean;
}

export interface Difference {
  /**
   * `value`: the values differ. `shape`: a field is on one side only, or its JSON type differs. `missing`: an entity is on one
   * side only. `order`: the same entities in another order. `status`: the HTTP statuses differ.
   */
  readonly kind: 'value' | 'shape' | 'missing' | 'order' | 'status';
  /** Undefined until the entity around it is known. */
  readonly subject?: Subject;
  /** Path within the subject. */
  readonly field: Path;
  /** Path within the body: the old one or, for what only the new one has, the new one. */
  readonly path: Path;
  /** Undefined if absent. */
  readonly old: unknown;
  readonly new: unknown;
}

export type LocatedDifference = Required<Difference>;

export const difference = (kind: Difference['kind'], before: unknown, after: unknown): Difference => ({
  kind,
  field: [],
  path: [],
  old: before,
  new: after,
});

/** The differences of the value at a key, as those of its parent. */
export function* at(key: string | number, found: Iterable<Difference>): Generator<Difference> {
  for (const each of found) {
    yield { ...each, path: [key, ...each.path], field: each.subject ? each.field : [key, ...each.field] };
  }
}

/** The differences of an entity: those that are in no entity within it are its own. */
export function* within(entity: Subject, found: Iterable<Difference>): Generator<LocatedDifference> {
  for (const each of found) yield { ...each, subject: each.subject ?? entity };
}

export type Compare = (before: unknown, after: unknown) => Iterable<Difference>;
type CompareLists = (before: readonly unknown[], after: readonly unknown[]) => Iterable<Difference>;

export const compareValues = (before: unknown, after: unknown): Difference[] =>
  before === after ? [] : [difference(jsonType(before) === jsonType(after) ? 'value' : 'shape', before, after)];

/** Compares arbitrary JSON exactly, but for the order of keys. */
export function* compareJson(before: unknown, after: unknown): Generator<Difference> {
  if (Array.isArray(before) && Array.isArray(after)) yield* compareJsonLists(before, after);
  else if (!isObject(before) || !isObject(after)) yield* compareValues(before, after);
  else {
    for (const key of keysOf(before, after)) {
      yield* at(key, compareJson(ownValue(before, key), ownValue(after, key)));
    }
  }
}

const compareJsonLists = compareOrdered(compareJson);

/** The keys that one of the objects has. */
export const keysOf = (before: object, after: object) => new Set([...Object.keys(before), ...Object.keys(after)]);

/** Reads a key that may be the name of an inherited property, such as `constructor`. */
export const ownValue = (object: Readonly<Record<string, unknown>>, key: string) =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Compares lists by index and reports the first difference only: an inserted element shifts all that follow. */
export function compareOrdered(compare: Compare): CompareLists {
  return function* (before, after) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      const isInBoth = index < before.length && index < after.length;
      const [oldValue, newValue] = [before[index], after[index]];
      const found = [...at(index, isInBoth ? compare(oldValue, newValue) : [difference('shape', oldValue, newValue)])];
      if (found.length > 0) return yield* found;
    }
  };
}

/** Compares lists as multisets: removes the elements that both have, and compares the others pair by pair. */
export function compareUnordered(compare: Compare): CompareLists {
  return function* (before, after) {
    const [oldTexts, newTexts] = [before.map(canonicalJson), after.map(canonicalJson)];
    const removed = indexesNotIn(newTexts, oldTexts);
    const added = indexesNotIn(oldTexts, newTexts);
    for (let nth = 0; nth < Math.max(removed.length, added.length); nth++) {
      const [from, to] = [removed[nth], added[nth]];
      if (from === undefined) yield* at(to ?? 0, [difference('shape', undefined, after[to ?? 0])]);
      else if (to === undefined) yield* at(from, [difference('shape', before[from], undefined)]);
      else yield* at(from, compare(before[from], after[to]));
    }
  };
}

/** How entities of a type are identified. */
export interface Identity extends Omit<Subject, 'id'> {
  /** Field that holds the id. */
  readonly field: string;
}

/** Returns the id of an entity; undefined if it has none. */
export function idOf(value: unknown, { field }: Pick<Identity, 'field'>): string | undefined {
  const id = isObject(value) ? value[field] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Compares lists of entities by id, so that a missing entity is one difference and does not shift the others. */
export function compareById(compare: Compare, identity: Identity, ordered: boolean): CompareLists {
  const { type, local } = identity;
  return function* (before, after) {
    const [oldIndex, newIndex] = [indexById(before, identity), indexById(after, identity)];
    for (const [key, index] of oldIndex) {
      const match = newIndex.get(key);
      const id = idOf(before[index], identity) ?? key;
      const missing = () => within({ type, id, local }, [difference('missing', id, undefined)]);
      yield* at(index, match === undefined ? missing() : compare(before[index], after[match]));
    }
    for (const [key, index] of newIndex) {
      if (oldIndex.has(key)) continue;
      const id = idOf(after[index], identity) ?? key;
      yield* at(index, within({ type, id, local }, [difference('missing', undefined, id)]));
    }
    if (ordered) yield* compareOrder(oldIndex, newIndex);
  };
}

/** Maps ids to indexes; duplicates and elements without an id get their number of occurrence appended. */
function indexById(values: readonly unknown[], identity: Identity): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  const occurrences = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const id = idOf(value, identity) ?? '';
    const earlier = occurrences.get(id) ?? 0;
    occurrences.set(id, earlier + 1);
    indexes.set(earlier === 0 && id !== '' ? id : `${id}#${earlier}`, index);
  }
  return indexes;
}

function* compareOrder(
  oldIndex: ReadonlyMap<string, number>,
  newIndex: ReadonlyMap<string, number>,
): Generator<Difference> {
  const before = [...oldIndex.keys()].filter(key => newIndex.has(key));
  const after = [...newIndex.keys()].filter(key => oldIndex.has(key));
  const first = before.findIndex((key, index) => key !== after[index]);
  const place = oldIndex.get(before[first] ?? '');
  if (place !== undefined) yield* at(place, [difference('order', before[first], after[first])]);
}

/** Returns the indexes of the texts that `others` lacks, or has less often. */
function indexesNotIn(others: readonly string[], texts: readonly string[]): number[] {
  const unmatched = new Map<string, number>();
  for (const text of others) unmatched.set(text, (unmatched.get(text) ?? 0) + 1);
  return texts.flatMap((text, index) => {
    const count = unmatched.get(text) ?? 0;
    unmatched.set(text, count - 1);
    return count > 0 ? [] : [index];
  });
}

/** Serialises with sorted keys, so that equal values give equal texts. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
