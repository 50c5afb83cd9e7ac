import { memoize } from '../configuration.ts';
import type { EntityCheck, Problems } from './context.ts';
import { displayName, isBlank, type Named } from './messages.ts';

export const checkCategoryNames: EntityCheck<'menus'> = ({ categories }) =>
  findDuplicates(categories, 'categoryExternalIds', 'categories');

export const checkItemNames: EntityCheck<'categories'> = ({ items }) =>
  findDuplicates(items, 'itemExternalIds', 'items');

export const checkModifierItemNames: EntityCheck<'modifierGroups'> = ({ modifierItems }) =>
  findDuplicates(modifierItems, 'modifierItemExternalIds', 'modifier items');

/** Finds siblings with the same name in a language, which guests cannot tell apart. */
function* findDuplicates(siblings: readonly Named[], field: string, nouns: string): Problems {
  const seen = new Set<string>();
  for (const [position, sibling] of siblings.entries()) {
    const names = namesOf(sibling);
    if (names.some(name => seen.has(name))) {
      const text = `has two ${nouns} called ${displayName(sibling)}, which guests cannot tell apart`;
      yield { code: 'DUPLICATE_NAME', at: [field, position], text };
    }
    for (const name of names) seen.add(name);
  }
}

/** The names in lower case, each after its language. */
const namesOf = memoize(({ name }: Named): readonly string[] =>
  Object.entries(name?.translations ?? {})
    .filter(([, text]) => !isBlank(text))
    .map(([language, text]) => JSON.stringify([language, text.trim().toLowerCase()])),
);
