import type { Steps } from '../../scheduling/time-slice.ts';
import type { Configuration } from '../configuration.ts';
import { byKind, childrenOf, type Kind, type KindName, kindOf, menuKinds, type ParentCounts } from '../kinds.ts';

/** A difference between two lists; positions count from 0. */
export interface ListChange {
  readonly change: 'ADDED' | 'REMOVED' | 'MOVED';
  readonly externalId: string;
  readonly positionBefore: number | null;
  readonly position: number | null;
}

/** Compares two lists of distinct external ids in n log n; as few elements as possible count as moved. */
export function compareLists(before: readonly string[], after: readonly string[]): readonly ListChange[] {
  if (isSameList(before, after)) return [];
  const oldPositions = new Map(before.map((id, index) => [id, index]));
  const current = new Set(after);
  const common = after.filter(id => oldPositions.has(id));
  const unmoved = longestIncreasing(common.map(id => oldPositions.get(id) ?? 0));
  const moved = new Set(common.filter((_, index) => !unmoved.has(index)));
  return [
    ...after.flatMap((externalId, position): ListChange[] => {
      const positionBefore = oldPositions.get(externalId) ?? null;
      if (positionBefore === null) return [{ change: 'ADDED', externalId, positionBefore, position }];
      return moved.has(externalId) ? [{ change: 'MOVED', externalId, positionBefore, position }] : [];
    }),
    ...before.flatMap((externalId, positionBefore): ListChange[] =>
      current.has(externalId) ? [] : [{ change: 'REMOVED', externalId, positionBefore, position: null }],
    ),
  ];
}

/** Compares lists of scalars. */
export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** Returns the indexes of a longest increasing subsequence of distinct numbers (patience sorting). */
function longestIncreasing(numbers: readonly number[]): ReadonlySet<number> {
  /** For each length, the index of the smallest number that ends a subsequence of that length. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const found = new Set<number>();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) found.add(index);
  return found;
}

/** Merges two lists: the later one, with elements that are only in the earlier one right after what preceded them there. */
function mergeLists(before: readonly string[], after: readonly string[]): readonly string[] {
  if (isSameList(before, after)) return after;
  const current = new Set(after);
  const goneAfter = new Map<string | undefined, string[]>();
  let predecessor: string | undefined;
  for (const id of before) {
    const gone = goneAfter.get(predecessor);
    if (current.has(id)) predecessor = id;
    else if (gone) gone.push(id);
    else goneAfter.set(predecessor, [id]);
  }
  if (goneAfter.size === 0) return after;
  return [...(goneAfter.get(undefined) ?? []), ...after.flatMap(id => [id, ...(goneAfter.get(id) ?? [])])];
}

interface EntityKey {
  readonly kind: KindName;
  readonly externalId: string;
}

/** An entity with those that contain it, from the menu down to its parent. */
interface PlacedEntity extends EntityKey {
  readonly path: readonly EntityKey[];
}

/**
 * Lists every entity of either configuration once, in the order in which a guest reads the later one: a menu, its categories, their
 * items, and below each its modifiers. What is in nothing any more is where it was, and what never was in anything comes last.
 */
export function* walkMenu(
  before: Configuration,
  after: Configuration,
  parentsAfter: ParentCounts,
): Steps<readonly PlacedEntity[]> {
  const entities: PlacedEntity[] = [];
  const visited = byKind(() => new Set<string>());

  function* visit(kind: Kind, externalId: string, path: readonly EntityKey[]): Steps<void> {
    visited[kind.name].add(externalId);
    entities.push({ kind: kind.name, externalId, path });
    yield;
    if (!kind.children) return;
    const childKind = kindOf(kind.children.kind);
    const children = childrenOf(kind, after[kind.name].get(externalId));
    const current = new Set(children);
    const pathOfChildren = [...path, { kind: kind.name, externalId }];
    for (const id of mergeLists(childrenOf(kind, before[kind.name].get(externalId)), children)) {
      const isElsewhere = !current.has(id) && parentsAfter[childKind.name].has(id);
      if (!isElsewhere && !visited[childKind.name].has(id)) yield* visit(childKind, id, pathOfChildren);
    }
  }

  for (const kind of menuKinds) {
    for (const id of mergeLists([...before[kind.name].keys()], [...after[kind.name].keys()])) {
      if (!visited[kind.name].has(id)) yield* visit(kind, id, []);
    }
  }
  return entities;
}
