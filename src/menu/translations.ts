/**
 * Picks the best translation for a list of preferred languages. All matches of one language are tried before the next
 * language, since a reader who prefers [pt-BR, en] is better served by `pt` than by `en`. Falls back to the first translation.
 */
export function pickTranslation(
  translations: Readonly<Record<string, string>>,
  languages: readonly string[],
): string | null {
  // Looks up own keys only, so that the language "constructor" does not match an inherited property.
  const keys = Object.keys(translations);
  const nonEmpty = keys.filter(key => translations[key] !== '');
  const key = findClosestKey(nonEmpty, languages) ?? nonEmpty[0] ?? keys[0];
  return key === undefined ? null : (translations[key] ?? null);
}

/** Preferred languages that count, and the longest tag: a request may have thousands, for every text of a menu. */
const maxLanguages = 20;
const maxTagLength = 100;

function findClosestKey(keys: readonly string[], languages: readonly string[]): string | undefined {
  for (const language of languages.length > maxLanguages ? languages.slice(0, maxLanguages) : languages) {
    if (language.length > maxTagLength) continue;
    const key = findKey(keys, language);
    if (key !== undefined) return key;
  }
  return undefined;
}

/** Looks up a language tag, then truncates it subtag by subtag (`zh-Hant-TW` → `zh-Hant` → `zh`), as RFC 4647 does. */
function findKey(keys: readonly string[], language: string): string | undefined {
  if (keys.includes(language)) return language;
  const tags = keys.map(normalize);
  for (let tag = normalize(language); tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) {
    const exact = tags.indexOf(tag);
    const index = exact === -1 ? tags.findIndex(other => other.startsWith(`${tag}-`)) : exact;
    if (index !== -1) return keys[index];
  }
  return undefined;
}

/**
 * Spells preferred languages alike that pick the same translations of any text in these languages: without those that match none, and
 * without the parts of a tag beyond what matches.
 */
export function canonicalLanguages(preferred: readonly string[], languages: readonly string[]): string[] {
  const tags = new Set(languages.flatMap(language => prefixesOf(normalize(language))));
  const canonical = preferred
    .slice(0, maxLanguages)
    .filter(language => language.length <= maxTagLength)
    .map(language => {
      if (languages.includes(language)) return language;
      const tag = prefixesOf(normalize(language)).find(prefix => tags.has(prefix));
      // Apart from a key that is spelt like the tag, which would be preferred.
      return tag === undefined ? undefined : `~${tag}`;
    });
  return [...new Set(canonical.filter(language => language !== undefined))];
}

/** A tag and what is left of it subtag by subtag, longest first. */
function prefixesOf(tag: string): string[] {
  const subtags = tag.split('-');
  return subtags.map((_, index) => subtags.slice(0, subtags.length - index).join('-'));
}

/** Spells `pt-BR`, `pt_br` and `PT_BR` alike. */
function normalize(tag: string): string {
  return tag.toLowerCase().replaceAll('_', '-');
}
