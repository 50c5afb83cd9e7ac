import type { Overview } from './client.ts';

type Translations = Readonly<Record<string, string>>;

/** Returns the languages of a store's texts, most frequent first. */
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

/** Chooses the first preferred language that is available, by its full tag or its primary subtag; else the first available. */
export function chooseLanguage(available: readonly string[], preferred: readonly string[]): string | undefined {
  for (const language of preferred) {
    const found =
      available.find(key => languageTag(key) === languageTag(language)) ??
      available.find(key => primarySubtag(key) === primarySubtag(language));
    if (found !== undefined) return found;
  }
  return available[0];
}

/** Returns the name of a language in that language, e.g. `português (pt)`; the key if it is unknown. */
export function languageName(key: string): string {
  try {
    const name = new Intl.DisplayNames([languageTag(key)], { type: 'language' }).of(languageTag(key));
    return name && name !== languageTag(key) ? `${name} (${key})` : key;
  } catch {
    return key;
  }
}

/** Converts a key to a BCP 47 language tag: `pt-br` for `pt_BR`. */
export function languageTag(key: string): string {
  return key.toLowerCase().replaceAll('_', '-');
}

function primarySubtag(key: string): string | undefined {
  return languageTag(key).split('-')[0];
}

/** Returns the name of a store, which is any JSON object, usually with `translations`. */
export function storeName(name: Readonly<Record<string, unknown>>, languages: readonly string[]): string | undefined {
  const texts = isTranslations(name.translations) ? name.translations : isTranslations(name) ? name : {};
  const key = chooseLanguage(Object.keys(texts), languages);
  return key === undefined ? undefined : texts[key];
}

function isTranslations(value: unknown): value is Translations {
  return typeof value === 'object' && value !== null && Object.values(value).every(text => typeof text === 'string');
}
