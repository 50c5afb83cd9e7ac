import type { Finding, Path, ValidationContext } from './context.ts';
import { displayName, isBlank, type Named } from './messages.ts';

/** Finds siblings with the same name, which guests cannot tell apart. */
export function* checkDuplicateNames(context: ValidationContext): Generator<Finding> {
  const categories = findSharedNames(context.categories);
  const items = findSharedNames(context.items);
  const modifierItems = findSharedNames(context.modifierItems);
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
  }
  for (const [index, group] of context.modifierGroups.entries()) {
    for (const [position, name] of findRepeated(group.modifierItemExternalIds, modifierItems)) {
      const path: Path = ['modifierGroups', index, 'modifierItemExternalIds', position];
      yield duplicate(path, `Modifier group ${displayName(group)} has two modifier items called ${name}`);
    }
  }
}

function duplicate(path: Path, statement: string): Finding {
  return { code: 'DUPLICATE_NAME', path, message: `${statement}, which guests cannot tell apart.` };
}

interface SharedNames {
  readonly entity: Named;
  /** Numbers of the names that another entity of the store has as well. */
  readonly names: readonly number[];
}

/** By external id; few entities share a name, so that most lists need no further comparison. */
function findSharedNames(entities: readonly Named[]): Map<string, SharedNames> {
  const intern = createInterner();
  const shared = new Set<number>();
  let highest = -1;
  const all = entities.map(entity => {
    const names = internNames(entity, intern);
    for (const name of names) {
      if (name <= highest) shared.add(name);
      else highest = name;
    }
    return { entity, names };
  });
  if (shared.size === 0) return new Map();
  const sharing = all.map(({ entity, names }) => ({ entity, names: names.filter(name => shared.has(name)) }));
  return new Map(sharing.filter(({ names }) => names.length > 0).map(each => [each.entity.externalId, each]));
}

type Intern = (language: string, name: string) => number;

/** Assigns ascending numbers to names; equal names in the same language get the same number. */
function createInterner(): Intern {
  const byLanguage = new Map<string, Map<string, number>>();
  let next = 0;
  return (language, name) => {
    const known = byLanguage.get(language) ?? new Map<string, number>();
    if (known.size === 0) byLanguage.set(language, known);
    const number = known.get(name) ?? next++;
    known.set(name, number);
    return number;
  };
}

function internNames({ name }: Named, intern: Intern): number[] {
  const names: number[] = [];
  for (const [language, text] of Object.entries(name?.translations ?? {})) {
    if (!isBlank(text)) names.push(intern(language, text.trim().toLowerCase()));
  }
  return names;
}

/** The positions whose entity has a name of an earlier entity, with its display name. */
function* findRepeated(
  externalIds: readonly string[] | null | undefined,
  sharedNames: ReadonlyMap<string, SharedNames>,
): Generator<[number, string]> {
  if (sharedNames.size === 0) return;
  const seen = new Set<number>();
  for (const [position, id] of (externalIds ?? []).entries()) {
    const { entity, names } = sharedNames.get(id) ?? { names: [] };
    if (entity && names.some(name => seen.has(name))) yield [position, displayName(entity)];
    for (const name of names) seen.add(name);
  }
}
