type Translations = Readonly<Record<string, string>>;

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
  const tag = languageTag(key);
  if (!isLanguageTag(tag)) return key;
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag);
  return name && name !== tag ? `${name} (${key})` : key;
}

/** Converts a key to a BCP 47 language tag: `pt-br` for `pt_BR`. */
export function languageTag(key: string): string {
  return key.toLowerCase().replaceAll('_', '-');
}

export function primarySubtag(key: string): string {
  return languageTag(key).split('-')[0] ?? '';
}

/** Returns the locale for numbers and times: the reader's variant of a language (`en-GB` for `en`), if there is one. */
export function localeOf(key: string, preferred: readonly string[]): string {
  const tag = languageTag(key);
  const variant = preferred.find(language => primarySubtag(language) === tag) ?? tag;
  return isLanguageTag(variant) ? variant : (preferred.find(isLanguageTag) ?? 'en');
}

const rightToLeftScripts = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']);

/** Returns the direction of the script in which a language is usually written. */
export function directionOf(key: string): 'ltr' | 'rtl' {
  const tag = languageTag(key);
  const script = isLanguageTag(tag) ? new Intl.Locale(tag).maximize().script : undefined;
  return script && rightToLeftScripts.has(script) ? 'rtl' : 'ltr';
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/** Returns the text of a name, with `translations` as the graph has it, or any JSON object of an imported order. */
export function storeName(name: Readonly<Record<string, unknown>>, languages: readonly string[]): string | undefined {
  const texts = isTranslations(name.translations) ? name.translations : isTranslations(name) ? name : {};
  const key = chooseLanguage(Object.keys(texts), languages);
  return key === undefined ? undefined : texts[key];
}

function isTranslations(value: unknown): value is Translations {
  return typeof value === 'object' && value !== null && Object.values(value).every(text => typeof text === 'string');
}
