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

function isSameList(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((id, index) => id === after[index]);
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
export function mergeLists(before: readonly string[], after: readonly string[]): readonly string[] {
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
