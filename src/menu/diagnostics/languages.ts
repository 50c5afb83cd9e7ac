// Made when first needed: it takes some milliseconds that a start without diagnostics need not spend.
let names: Intl.DisplayNames | undefined;

/** The language of a key such as `es` or `es_ES`, or undefined for a key that is no language tag, such as `jp`. */
export function languageOf(key: string): string | undefined {
  const [language] = key.toLowerCase().split(/[-_]/, 1);
  if (!language || !/^[a-z]{2,3}(?:[-_][a-z\d]{1,8})*$/i.test(key)) return undefined;
  return languageName(language) === undefined ? undefined : language;
}

/** The English name of a language, e.g. `Spanish`. */
export function languageName(language: string): string | undefined {
  names ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return names.of(language);
}
