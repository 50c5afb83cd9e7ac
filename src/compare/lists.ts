import type { Walk } from './difference.ts';
import { type Compare, canonical, isFields } from './free.ts';

/** How the things of a type are told apart. */
export interface Identity {
  readonly field: string;
  /** As the graph calls them. */
  readonly type: string;
  readonly local: boolean;
}

type CompareLists = (before: readonly unknown[], after: readonly unknown[], walk: Walk) => void;

/** The identifier of a thing; undefined where it has none. */
export function idOf(value: unknown, { field }: Pick<Identity, 'field'>): string | undefined {
  const id = isFields(value) ? value[field] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Things are matched by identifier, so that one that is missing is one difference and moves no other. */
export function compareThings(compare: Compare, identity: Identity, ordered: boolean): CompareLists {
  const { type, local } = identity;
  return (before, after, walk) => {
    const [old, fresh] = [byId(before, identity), byId(after, identity)];
    for (const [key, index] of old) {
      const match = fresh.get(key);
      walk.at(index, () => {
        if (match !== undefined) return compare(before[index], after[match], walk);
        const id = idOf(before[index], identity) ?? key;
        walk.within({ type, id, local }, () => walk.report('missing', id, undefined));
      });
    }
    for (const [key, index] of fresh) {
      if (old.has(key)) continue;
      const id = idOf(after[index], identity) ?? key;
      walk.at(index, () => walk.within({ type, id, local }, () => walk.report('missing', undefined, id)));
    }
    if (ordered) compareOrder(old, fresh, walk);
  };
}

/** Values whose order has no meaning: those that both have are put aside, and the others compared one by one. */
export function compareBag(compare: Compare): CompareLists {
  return (before, after, walk) => {
    const [old, fresh] = [before.map(canonical), after.map(canonical)];
    const left = beyond(old, fresh);
    const added = beyond(fresh, old);
    for (let nth = 0; nth < Math.max(left.length, added.length); nth++) {
      const [from, to] = [left[nth], added[nth]];
      walk.at(from ?? to ?? 0, () => {
        if (from !== undefined && to !== undefined) compare(before[from], after[to], walk);
        else
          walk.report('shape', from === undefined ? undefined : before[from], to === undefined ? undefined : after[to]);
      });
    }
  };
}

/** The places of the texts that the others do not have, or not as often. */
function beyond(texts: readonly string[], others: readonly string[]): number[] {
  const spare = new Map<string, number>();
  for (const text of others) spare.set(text, (spare.get(text) ?? 0) + 1);
  return texts.flatMap((text, index) => {
    const times = spare.get(text) ?? 0;
    spare.set(text, times - 1);
    return times > 0 ? [] : [index];
  });
}

/** Where each thing stands. One that comes twice, or has no identifier, is told by how often it came before. */
function byId(values: readonly unknown[], identity: Identity): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const seen = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const id = idOf(value, identity) ?? '';
    const times = seen.get(id) ?? 0;
    seen.set(id, times + 1);
    places.set(times === 0 && id !== '' ? id : `${id}#${times}`, index);
  }
  return places;
}

function compareOrder(old: ReadonlyMap<string, number>, fresh: ReadonlyMap<string, number>, walk: Walk): void {
  const before = [...old.keys()].filter(key => fresh.has(key));
  const after = [...fresh.keys()].filter(key => old.has(key));
  const at = before.findIndex((key, index) => key !== after[index]);
  if (at >= 0) walk.at(old.get(before[at] ?? '') ?? at, () => walk.report('order', before[at], after[at]));
}
