import type { Overview } from './operations.ts';

type Translations = Readonly<Record<string, string>>;

/** Every language that occurs in a store's texts, the most frequent first. */
export function languagesOf({ menus, categories, items, modifierGroups, modifierItems }: Overview): string[] {
  const texts = [
    ...[...menus, ...categories, ...items, ...modifierGroups, ...modifierItems].map(({ name }) => name),
    ...[...categories, ...items].map(({ description }) => description),
  ];
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const key of Object.keys(text?.translations ?? {})) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([key]) => key);
}

/** The language to begin with: the first that the reader's browser asks for and the menu has. */
export function preferred(languages: readonly string[], wanted: readonly string[]): string | undefined {
  for (const want of wanted) {
    const found = languages.find(key => tag(key) === tag(want)) ?? languages.find(key => base(key) === base(want));
    if (found !== undefined) return found;
  }
  return languages[0];
}

/** The name of a language in itself, e.g. `português`; the key where it has none. */
export function languageName(key: string): string {
  try {
    const name = new Intl.DisplayNames([tag(key)], { type: 'language' }).of(tag(key));
    return name && name !== tag(key) ? `${name} (${key})` : key;
  } catch {
    return key;
  }
}

/** As HTML and Intl write it: `pt-br` for `pt_BR`. */
export function tag(key: string): string {
  return key.toLowerCase().replaceAll('_', '-');
}

function base(key: string): string | undefined {
  return tag(key).split('-')[0];
}

/** The name of a store, which is any map, usually of translations. */
export function storeName(name: Readonly<Record<string, unknown>>, languages: readonly string[]): string | undefined {
  const texts = isTexts(name.translations) ? name.translations : isTexts(name) ? name : {};
  const key = preferred(Object.keys(texts), languages);
  return key === undefined ? undefined : texts[key];
}

function isTexts(value: unknown): value is Translations {
  return typeof value === 'object' && value !== null && Object.values(value).every(text => typeof text === 'string');
}
