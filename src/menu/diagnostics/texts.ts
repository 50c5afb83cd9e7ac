import { memoize } from '@carte/base/memoize';
import type { Steps } from '@carte/base/time-slice';
import type { MultilingualText } from '../entities.ts';
import { menuKinds } from '../kinds.ts';
import type { EntityChecks, EntityPath, Findings, Problems, ValidationContext } from './context.ts';
import { capitalizedNoun, displayName, isBlank, type Named, pluralize, quote, translationsOf } from './messages.ts';

interface Text {
  readonly path: EntityPath;
  readonly entity: Named;
  readonly field: 'name' | 'description';
  readonly translations: Translations;
}

type Translations = readonly (readonly [key: string, text: string])[];

type Described = Named & { readonly description?: MultilingualText | null | undefined };

/** Checks the name and description of an entity: blank and damaged ones. */
export function* checkTexts(entity: Described): Problems {
  for (const field of ['description', 'name'] as const) {
    const text = entity[field];
    const translations = translationsOf(text);
    if (!text || (translations.length > 0 && translations.every(([, translation]) => isClean(translation)))) continue;
    yield* checkBlanks(field, translations);
    for (const [key, translation] of translations) {
      yield* checkDamage(field, key, translation);
      yield;
    }
  }
}

function* checkBlanks(field: Text['field'], translations: Translations): Problems {
  const blank = translations.filter(([, text]) => isBlank(text));
  if (blank.length === translations.length) {
    const code = field === 'name' ? 'MISSING_NAME' : 'BLANK_DESCRIPTION';
    yield { code, at: [field], text: `has a ${field} without any text` };
    return;
  }
  for (const [key] of blank) {
    const code = field === 'name' ? 'BLANK_NAME' : 'BLANK_DESCRIPTION';
    yield { code, at: [field, 'translations', key], text: `has a blank ${field} in the language ${quote(key)}` };
  }
}

/** UTF-8 decoded as Latin-1 or Windows-1252, as in "CafÃ©", and the replacement character. */
const garbled = /Ã[\u00a1-\u00aa\u00ac\u00ad\u00af-\u00ba\u00bc-\u00bf]|Â[°©®·º]|â€[™œ\u009d“”¢¦]|\ufffd/;
const markup = /<\/?[a-z][^<>]{0,100}>|&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[\da-f]{1,6});/i;

/** Accepts nearly every text with a single search. */
function isClean(translation: string): boolean {
  return !/[<&ÃÂâ\ufffd]/.test(translation) && !isBlank(translation);
}

function* checkDamage(field: Text['field'], key: string, translation: string): Problems {
  const at = [field, 'translations', key];
  const [garbage] = translation.match(garbled) ?? [];
  if (garbage !== undefined) {
    const text = `has a ${field} with ${quote(garbage)}, which may be a letter lost in conversion`;
    yield { code: 'GARBLED_TEXT', at, text };
  }
  const [tag] = translation.match(markup) ?? [];
  if (tag !== undefined) {
    const text = `has a ${field} with the markup ${quote(tag)}, which guests may see as it stands`;
    yield { code: 'MARKUP_IN_TEXT', at, text };
  }
}

/** Checks the languages of all names and descriptions: keys that are none, and missing translations. */
export function* checkTranslations(context: ValidationContext): Findings {
  const texts = yield* collectTexts(context);
  const languages = new Map<string, string | undefined>();
  for (const [key, { first, count }] of yield* countUses(texts, key => key)) {
    yield;
    const language = parseLanguage(key);
    languages.set(key, language);
    if (language !== undefined) continue;
    // Reported once per key, since a wrong key is usually used throughout a store.
    const message = `The key ${quote(key)} of ${pluralize(count, 'text')} is not a language like "en" or "es_ES".`;
    yield { code: 'UNKNOWN_LANGUAGE', path: [...first.path, 'translations', key], message };
  }
  yield* checkMissing(texts, languages);
}

function* collectTexts(context: ValidationContext): Steps<Text[]> {
  const texts: Text[] = [];
  for (const { name: list } of menuKinds) {
    const entities: readonly Described[] = context[list];
    for (const [index, entity] of entities.entries()) {
      for (const field of ['description', 'name'] as const) {
        const text = entity[field];
        if (!text) continue;
        texts.push({ path: [list, index, field], entity, field, translations: translationsOf(text) });
      }
      yield;
    }
  }
  return texts;
}

/** Languages that a text is said to lack; others are counted. */
const maxMissing = 10;

/** Compares languages without regions, since `pt` serves readers of `pt_BR`. */
function* checkMissing(texts: readonly Text[], languages: ReadonlyMap<string, string | undefined>): Findings {
  const filled: Text[] = [];
  for (const text of texts) {
    yield;
    if (text.translations.some(([key, translation]) => languages.get(key) !== undefined && !isBlank(translation)))
      filled.push(text);
  }
  const uses = yield* countUses(filled, (key, translation) => (isBlank(translation) ? undefined : languages.get(key)));
  // Half of the other texts: a text without the language is not among those that use it.
  const common = [...uses].filter(([, { count }]) => 2 * count >= filled.length - 1).map(([language]) => language);
  for (const text of filled) {
    yield;
    // Includes blank translations, which are reported as such.
    const present = new Set(text.translations.map(([key]) => languages.get(key)));
    const missing = common.filter(language => !present.has(language));
    if (missing.length === 0) continue;
    const others = missing.length > maxMissing ? ` and ${missing.length - maxMissing} other languages` : '';
    const shown = missing.slice(0, maxMissing).map(language => `${languageName(language)} (${language})`);
    const names = shown.join(', ') + others;
    const subject = `${capitalizedNoun(text.path[0])} ${displayName(text.entity)}`;
    const message = `${subject} has no ${text.field} in ${names}, unlike most other texts of the store.`;
    yield { code: 'MISSING_TRANSLATION', path: [...text.path, 'translations'], message };
  }
}

interface Use {
  readonly first: Text;
  last: Text;
  count: number;
}

/** Counts the texts in which a value derived from a translation occurs; a repetition within a text counts once. */
function* countUses(
  texts: readonly Text[],
  derive: (key: string, translation: string) => string | undefined,
): Steps<Map<string, Use>> {
  const uses = new Map<string, Use>();
  for (const text of texts) {
    yield;
    for (const [key, translation] of text.translations) {
      const value = derive(key, translation);
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

/** The language of a key such as `es` or `es_ES`; undefined for a key that is not a language tag, such as `jp`. */
function parseLanguage(key: string): string | undefined {
  const [language] = key.toLowerCase().split(/[-_]/, 1);
  if (!language || !/^[a-z]{2,3}(?:[-_][a-z\d]{1,8})*$/i.test(key)) return undefined;
  return languageName(language) === undefined ? undefined : language;
}

// Created on first use, since it takes some milliseconds.
let languageNames: Intl.DisplayNames | undefined;

function languageName(language: string): string | undefined {
  languageNames ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return languageNames.of(language);
}

export const siblingChecks: EntityChecks = {
  menus: ({ categories }) => findDuplicates(categories, 'categoryExternalIds', 'categories'),
  categories: ({ items }) => findDuplicates(items, 'itemExternalIds', 'items'),
  modifierGroups: ({ modifierItems }) => findDuplicates(modifierItems, 'modifierItemExternalIds', 'modifier items'),
};

/** Finds siblings with the same name in a language, which guests cannot tell apart. */
function* findDuplicates(siblings: readonly Named[], field: string, nouns: string): Problems {
  const seen = new Set<string>();
  for (const [position, sibling] of siblings.entries()) {
    yield;
    const names = namesOf(sibling);
    if (names.some(name => seen.has(name))) {
      const text = `has two ${nouns} called ${displayName(sibling)}, which guests cannot tell apart`;
      yield { code: 'DUPLICATE_NAME', at: [field, position], text };
    }
    for (const name of names) seen.add(name);
  }
}

/** The names in lower case, each after its language. */
const namesOf = memoize(({ name }: Named): readonly string[] =>
  translationsOf(name)
    .filter(([, text]) => !isBlank(text))
    .map(([language, text]) => JSON.stringify([language, text.trim().toLowerCase()])),
);
