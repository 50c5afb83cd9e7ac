import { languageName, languageOf } from './languages.ts';
import type { Finding } from './subject.ts';
import { ownerOf, pathOf, type Text, wordsOf } from './texts.ts';
import { counted, isBlank, quoted } from './wording.ts';

interface Use {
  readonly first: Text;
  last: Text;
  count: number;
}

/** Language keys that are none, and languages that a text lacks although the others have them. */
export function* checkTranslations(texts: readonly Text[]): Generator<Finding> {
  const languages = new Map<string, string | undefined>();
  for (const [key, { first, count }] of countUses(texts, key => key)) {
    const language = languageOf(key);
    languages.set(key, language);
    if (language !== undefined) continue;
    // A key is mostly wrong throughout a store, so it is told once, where it comes first.
    const message = `The key ${quoted(key)} of ${counted(count, 'text')} is not a language like "en" or "es_ES".`;
    yield { code: 'UNKNOWN_LANGUAGE', path: [...pathOf(first), 'translations', key], message };
  }
  yield* checkGaps(texts, languages);
}

/** Compares languages, not regions: a reader of `pt_BR` is served `pt`. */
function* checkGaps(texts: readonly Text[], languages: ReadonlyMap<string, string | undefined>): Generator<Finding> {
  const filled = texts.filter(text =>
    text.keys.some(key => languages.get(key) !== undefined && !isBlank(wordsOf(text, key))),
  );
  const uses = countUses(filled, (key, words) => (isBlank(words) ? undefined : languages.get(key)));
  // At least half of the other texts: who lacks a language is not among those that use it.
  const common = [...uses].filter(([, { count }]) => 2 * count >= filled.length - 1).map(([language]) => language);
  for (const text of filled) {
    // A blank translation is told of as such, and is not missing.
    const given = new Set(text.keys.map(key => languages.get(key)));
    const missing = common.filter(language => !given.has(language));
    if (missing.length === 0) continue;
    const names = missing.map(language => `${languageName(language)} (${language})`).join(', ');
    const message = `${ownerOf(text)} has no ${text.field} in ${names}, unlike most other texts of the store.`;
    yield { code: 'MISSING_TRANSLATION', path: [...pathOf(text), 'translations'], message };
  }
}

/** In how many texts something occurs that is read from their translations; twice in one text is once. */
function countUses(texts: readonly Text[], read: (key: string, words: string) => string | undefined): Map<string, Use> {
  const uses = new Map<string, Use>();
  for (const text of texts) {
    for (const key of text.keys) {
      const value = read(key, wordsOf(text, key));
      if (value === undefined) continue;
      const use = uses.get(value);
      if (!use) uses.set(value, { first: text, last: text, count: 1 });
      else if (use.last !== text) {
        use.last = text;
        use.count += 1;
      }
    }
  }
  return uses;
}
