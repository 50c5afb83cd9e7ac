import type { Finding, Path, Subject } from './subject.ts';
import { called, isBlank, type Named } from './wording.ts';

/** Names that stand twice under one heading, so that guests cannot tell them apart. */
export function* checkDuplicates(subject: Subject): Generator<Finding> {
  const categories = sharedNames(subject.categories);
  const items = sharedNames(subject.items);
  const modifierItems = sharedNames(subject.modifierItems);
  for (const [at, menu] of subject.menus.entries()) {
    for (const [position, name] of repeatedIn(menu.categoryExternalIds, categories)) {
      const path = ['menus', at, 'categoryExternalIds', position] as const;
      yield duplicate(path, `Menu ${called(menu)} has two categories called ${name}`);
    }
  }
  for (const [at, category] of subject.categories.entries()) {
    for (const [position, name] of repeatedIn(category.itemExternalIds, items)) {
      const path = ['categories', at, 'itemExternalIds', position] as const;
      yield duplicate(path, `Category ${called(category)} has two items called ${name}`);
    }
  }
  for (const [at, group] of subject.modifierGroups.entries()) {
    for (const [position, name] of repeatedIn(group.modifierItemExternalIds, modifierItems)) {
      const path = ['modifierGroups', at, 'modifierItemExternalIds', position] as const;
      yield duplicate(path, `Modifier group ${called(group)} has two modifier items called ${name}`);
    }
  }
}

function duplicate(path: Path, statement: string): Finding {
  return { code: 'DUPLICATE_NAME', path, message: `${statement}, which guests cannot tell apart.` };
}

interface Sharing {
  readonly entity: Named;
  readonly names: readonly number[];
}

/** The names, one per language and by number, that an entity shares with another one of the store; few do. */
function sharedNames(entities: readonly Named[]): Map<string, Sharing> {
  const numberOf = nameNumbers();
  const shared = new Set<number>();
  let highest = -1;
  const all = entities.map(entity => {
    const names = namesOf(entity, numberOf);
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

/** Numbers names from 0, alike ones alike. */
function nameNumbers(): (language: string, name: string) => number {
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

function namesOf({ name }: Named, numberOf: ReturnType<typeof nameNumbers>): number[] {
  const names: number[] = [];
  for (const [language, text] of Object.entries(name?.translations ?? {})) {
    if (!isBlank(text)) names.push(numberOf(language, text.trim().toLowerCase()));
  }
  return names;
}

/** The positions at which a name comes again in the same language, each with what its entity is called. */
function* repeatedIn(
  externalIds: readonly string[] | null | undefined,
  sharing: ReadonlyMap<string, Sharing>,
): Generator<[number, string]> {
  if (sharing.size === 0) return;
  const seen = new Set<number>();
  for (const [position, id] of (externalIds ?? []).entries()) {
    const { entity, names } = sharing.get(id) ?? { names: [] };
    if (entity && names.some(name => seen.has(name))) yield [position, called(entity)];
    for (const name of names) seen.add(name);
  }
}
