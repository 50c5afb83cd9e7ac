import type { Steps } from '../scheduling/time-slice.ts';
import type { Configuration } from './configuration.ts';

/** Returns the language keys of a configuration's texts, most frequent first. */
export function* languagesOf({
  menus,
  categories,
  items,
  modifierGroups,
  modifierItems,
}: Configuration): Steps<string[]> {
  const counts = new Map<string, number>();
  for (const nodes of [menus, categories, items, modifierGroups, modifierItems]) {
    for (const node of nodes.values()) {
      const texts = 'description' in node ? [node.name, node.description] : [node.name];
      for (const key of texts.flatMap(text => Object.keys(text?.translations ?? {}))) {
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      yield;
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([key]) => key);
}
