import type { Steps } from '../../scheduling/time-slice.ts';
import type { Finding, Findings, Path, ValidationContext } from './context.ts';
import { displayName, isBlank, type Named } from './messages.ts';

/** Finds siblings with the same name, which guests cannot tell apart. */
export function* checkDuplicateNames(context: ValidationContext): Findings {
  const categories = yield* indexNames(context.categories);
  const items = yield* indexNames(context.items);
  const modifierItems = yield* indexNames(context.modifierItems);
  for (const [index, menu] of context.menus.entries()) {
    for (const [position, name] of findRepeated(menu.categoryExternalIds, categories)) {
      const path: Path = ['menus', index, 'categoryExternalIds', position];
      yield duplicate(path, `Menu ${displayName(menu)} has two categories called ${name}`);
    }
  }
  for (const [index, category] of context.categories.entries()) {
    for (const [position, name] of findRepeated(category.itemExternalIds, items)) {
      const path: Path = ['categories', index, 'itemExternalIds', position];
      yield duplicate(path, `Category ${displayName(category)} has two items called ${name}`);
    }
    yield;
  }
  for (const [index, group] of context.modifierGroups.entries()) {
    for (const [position, name] of findRepeated(group.modifierItemExternalIds, modifierItems)) {
      const path: Path = ['modifierGroups', index, 'modifierItemExternalIds', position];
      yield duplicate(path, `Modifier group ${displayName(group)} has two modifier items called ${name}`);
    }
    yield;
  }
}

function duplicate(path: Path, statement: string): Finding {
  return { code: 'DUPLICATE_NAME', path, message: `${statement}, which guests cannot tell apart.` };
}

interface Sibling {
  readonly entity: Named;
  /** Names in lower case, by language. */
  readonly names: ReadonlyMap<string, string>;
}

function* indexNames(entities: readonly Named[]): Steps<Map<string, Sibling>> {
  const siblings = new Map<string, Sibling>();
  for (const entity of entities) {
    siblings.set(entity.externalId, { entity, names: namesOf(entity) });
    yield;
  }
  return siblings;
}

function namesOf({ name }: Named): Map<string, string> {
  const names = new Map<string, string>();
  for (const [language, text] of Object.entries(name?.translations ?? {})) {
    if (!isBlank(text)) names.set(language, text.trim().toLowerCase());
  }
  return names;
}

/** The positions whose entity has a name of an earlier entity, with its display name. */
function* findRepeated(
  externalIds: readonly string[] | null | undefined,
  siblings: ReadonlyMap<string, Sibling>,
): Generator<[number, string]> {
  const seen = new Map<string, Set<string>>();
  for (const [position, id] of (externalIds ?? []).entries()) {
    const sibling = siblings.get(id);
    if (!sibling) continue;
    let isRepeated = false;
    for (const [language, name] of sibling.names) {
      const names = seen.get(language);
      if (!names) seen.set(language, new Set([name]));
      else if (names.has(name)) isRepeated = true;
      else names.add(name);
    }
    if (isRepeated) yield [position, displayName(sibling.entity)];
  }
}
