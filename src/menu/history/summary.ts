import type { MenuEntityKind } from '../../generated/graph.ts';
import { type KindName, menuKinds } from '../kinds.ts';
import type { HistoryEntry } from './repository.ts';

/** The kinds of entities by the names of their lists. */
export const entityKinds: Readonly<Record<KindName, MenuEntityKind>> = {
  menus: 'MENU',
  categories: 'CATEGORY',
  items: 'ITEM',
  modifierGroups: 'MODIFIER_GROUP',
  modifierItems: 'MODIFIER_ITEM',
};

/** Numbers of entities of one kind that a change added, changed and removed. */
export interface ChangeCounts {
  readonly kind: KindName;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** Describes an entry by its numbers, e.g. `1 item changed, 2 modifier items added`. */
export function summarize({ source, counts }: Pick<HistoryEntry, 'source' | 'counts'>): string {
  return source === 'UNKNOWN' ? 'the history begins here' : summarizeCounts(counts);
}

export function summarizeCounts(counts: readonly ChangeCounts[]): string {
  const parts = counts.flatMap(({ kind, ...numbers }) =>
    (['added', 'changed', 'removed'] as const)
      .filter(change => numbers[change] > 0)
      .map(change => `${numbers[change]} ${nounFor(kind, numbers[change])} ${change}`),
  );
  return parts.join(', ') || 'only the order of entities changed';
}

function nounFor(name: KindName, count: number): string {
  const noun = menuKinds.find(kind => kind.name === name)?.noun ?? name;
  return count === 1 ? noun : `${noun}s`.replace(/ys$/, 'ies');
}
