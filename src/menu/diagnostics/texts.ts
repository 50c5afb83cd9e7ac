import { listNames, type Path, type Subject } from './subject.ts';
import { called, type Named } from './wording.ts';

/** One name or description. */
export interface Text {
  readonly list: (typeof listNames)[number];
  readonly at: number;
  readonly entity: Named;
  readonly field: 'name' | 'description';
  readonly translations: Readonly<Record<string, string>>;
  readonly keys: readonly string[];
}

const nouns = {
  menus: 'Menu',
  categories: 'Category',
  items: 'Item',
  modifierGroups: 'Modifier group',
  modifierItems: 'Modifier item',
} as const;

/** How a sentence begins that is about the owner of a text. */
export function ownerOf({ list, entity }: Text): string {
  return `${nouns[list]} ${called(entity)}`;
}

export function wordsOf({ translations }: Text, key: string): string {
  return translations[key] ?? '';
}

export function pathOf({ list, at, field }: Text): Path {
  return [list, at, field];
}

export function textsOf(subject: Subject): Text[] {
  const texts: Text[] = [];
  for (const list of listNames) {
    for (const [at, entity] of subject[list].entries()) {
      for (const field of ['description', 'name'] as const) {
        const translations = entity[field]?.translations;
        if (translations) texts.push({ list, at, entity, field, translations, keys: Object.keys(translations) });
      }
    }
  }
  return texts;
}
