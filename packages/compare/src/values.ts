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

/**
 * `value`: the values differ. `shape`: a field is on one side only, or its JSON type differs. `missing`: an entity is on one
 * side only. `order`: the same entities in another order. `status`: the HTTP statuses differ.
 */
export type DifferenceKind = 'value' | 'shape' | 'missing' | 'order' | 'status';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly subject: Subject;
  /** Path within the subject. */
  readonly field: Path;
  /** Path within the body: the old one or, for what only the new one has, the new one. */
  readonly path: Path;
  /** Undefined if absent. */
  readonly old: unknown;
  readonly new: unknown;
}

export type ReportDifference = (difference: Difference) => void;

/** Tracks the path and the subject while two bodies are compared. */
export class Traversal {
  readonly #report: ReportDifference;
  readonly #path: (string | number)[] = [];
  #subject: Subject;
  /** Length of the subject's path. */
  #depth = 0;

  /** Number of differences reported. */
  differences = 0;

  constructor(response: Subject, report: ReportDifference) {
    this.#subject = response;
    this.#report = report;
  }

  at(key: string | number, compare: () => void): void {
    this.#path.push(key);
    compare();
    this.#path.pop();
  }

  within(subject: Subject, compare: () => void): void {
    const [outer, depth] = [this.#subject, this.#depth];
    this.#subject = subject;
    this.#depth = this.#path.length;
    compare();
    this.#subject = outer;
    this.#depth = depth;
  }

  report(kind: DifferenceKind, before: unknown, after: unknown): void {
    const path = [...this.#path];
    const field = path.slice(this.#depth);
    this.differences++;
    this.#report({ kind, subject: this.#subject, field, path, old: before, new: after });
  }
}

export type Compare = (before: unknown, after: unknown, traversal: Traversal) => void;
export type CompareLists = (before: readonly unknown[], after: readonly unknown[], traversal: Traversal) => void;

export const compareValues: Compare = (before, after, traversal) => {
  if (before === after) return;
  traversal.report(jsonType(before) === jsonType(after) ? 'value' : 'shape', before, after);
};

/** Compares arbitrary JSON exactly, but for the order of keys. */
export const compareJson: Compare = (before, after, traversal) => {
  if (Array.isArray(before) && Array.isArray(after)) return compareJsonLists(before, after, traversal);
  if (!isObject(before) || !isObject(after)) return compareValues(before, after, traversal);
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    traversal.at(key, () => compareJson(ownValue(before, key), ownValue(after, key), traversal));
  }
};

const compareJsonLists = compareOrdered(compareJson);

/** Reads a key that may be the name of an inherited property, such as `constructor`. */
export const ownValue = (object: Readonly<Record<string, unknown>>, key: string) =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Compares lists by index and reports the first difference only: an inserted element shifts all that follow. */
export function compareOrdered(compare: Compare): CompareLists {
  return (before, after, traversal) => {
    const { differences } = traversal;
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      traversal.at(index, () => {
        if (index < before.length && index < after.length) compare(before[index], after[index], traversal);
        else traversal.report('shape', before[index], after[index]);
      });
      if (traversal.differences > differences) return;
    }
  };
}

/** Compares lists as multisets: removes the elements that both have, and compares the others pair by pair. */
export function compareUnordered(compare: Compare): CompareLists {
  return (before, after, traversal) => {
    const [oldTexts, newTexts] = [before.map(canonicalJson), after.map(canonicalJson)];
    const removed = indexesNotIn(newTexts, oldTexts);
    const added = indexesNotIn(oldTexts, newTexts);
    for (let nth = 0; nth < Math.max(removed.length, added.length); nth++) {
      const [from, to] = [removed[nth], added[nth]];
      traversal.at(from ?? to ?? 0, () => {
        if (from === undefined) traversal.report('shape', undefined, after[to ?? 0]);
        else if (to === undefined) traversal.report('shape', before[from], undefined);
        else compare(before[from], after[to], traversal);
      });
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
  return (before, after, traversal) => {
    const [oldIndex, newIndex] = [indexById(before, identity), indexById(after, identity)];
    for (const [key, index] of oldIndex) {
      const match = newIndex.get(key);
      traversal.at(index, () => {
        if (match !== undefined) return compare(before[index], after[match], traversal);
        const id = idOf(before[index], identity) ?? key;
        traversal.within({ type, id, local }, () => traversal.report('missing', id, undefined));
      });
    }
    for (const [key, index] of newIndex) {
      if (oldIndex.has(key)) continue;
      const id = idOf(after[index], identity) ?? key;
      traversal.at(index, () =>
        traversal.within({ type, id, local }, () => traversal.report('missing', undefined, id)),
      );
    }
    if (ordered) compareOrder(oldIndex, newIndex, traversal);
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

function compareOrder(
  oldIndex: ReadonlyMap<string, number>,
  newIndex: ReadonlyMap<string, number>,
  traversal: Traversal,
): void {
  const before = [...oldIndex.keys()].filter(key => newIndex.has(key));
  const after = [...newIndex.keys()].filter(key => oldIndex.has(key));
  const at = before.findIndex((key, index) => key !== after[index]);
  if (at >= 0)
    traversal.at(oldIndex.get(before[at] ?? '') ?? at, () => traversal.report('order', before[at], after[at]));
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
