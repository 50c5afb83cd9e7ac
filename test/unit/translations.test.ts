import fc from 'fast-check';
import { expect, test } from 'vitest';
import { menuTextLimits } from '../../src/limits.ts';
import {
  canonicalLanguages,
  indexLanguages,
  type MenuLanguages,
  pickTranslation,
} from '../../src/menu/translations.ts';

const indexed = (languages: readonly string[]) => indexLanguages(languages) as MenuLanguages;

test.each([
  ['an exact key', { en: 'Soup', es: 'Sopa' }, ['es'], 'Sopa'],
  ['an exact key before one spelt otherwise', { pt_br: 'a', 'pt-BR': 'b' }, ['pt-BR'], 'b'],
  ['a key in another case and with another separator', { pt: 'a', pt_br: 'b' }, ['PT-br'], 'b'],
  ['a key with several separators', { zh: 'a', zh_Hant_TW: 'b' }, ['zh-hant-tw'], 'b'],
  ['the first of several keys spelt otherwise', { PT_BR: 'a', pt_br: 'b' }, ['pt-BR'], 'a'],
  ['the language alone', { pt_pt: 'a', pt: 'b' }, ['pt-BR'], 'b'],
  ['the language alone, in another case', { pt_pt: 'a', PT: 'b' }, ['pt-BR'], 'b'],
  ['the first key of the same language', { en: 'a', pt_pt: 'b', pt_br: 'c' }, ['pt'], 'b'],
  ['a key of the same language from another region', { en: 'a', pt_pt: 'b' }, ['pt-BR'], 'b'],
  ['the script before the language alone', { zh_Hans: 'a', zh: 'b', zh_Hant: 'c' }, ['zh-Hant-TW'], 'c'],
  ['no language that only begins alike', { en: 'a', fil: 'b', fi_fi: 'c' }, ['fi'], 'c'],
  ['every fit of the first language before the second', { en: 'a', pt: 'b' }, ['pt-BR', 'en'], 'b'],
  ['the second language when the first is absent', { de: 'a', en: 'b' }, ['fr', 'en'], 'b'],
  ['the first translation when no language fits', { de: 'a', en: 'b' }, ['fr', '*', ''], 'a'],
  ['the first translation when no language is wanted', { de: 'a', en: 'b' }, [], 'a'],
  ['null without translations', {}, ['en'], null],
  ['no empty translation while the language has another', { pt_br: '', pt: 'b' }, ['pt-BR'], 'b'],
  ['no empty translation while another language is wanted', { pt: '', de: 'a', en: 'b' }, ['pt', 'en'], 'b'],
  ['no empty translation while there is any other', { pt: '', en: 'b' }, ['pt'], 'b'],
  ['an empty translation when there is nothing else', { pt: '', en: '' }, ['fr'], ''],
  ['a text under an empty key', { '': 'a' }, ['en'], 'a'],
  ['no inherited property', { en: 'a' }, ['constructor', 'toString', '__proto__'], 'a'],
  ['no inherited property of an empty map', {}, ['constructor', 'toString', '__proto__'], null],
  ['a key named as an inherited property', { en: 'a', constructor: 'b' }, ['constructor'], 'b'],
])('picks %s', (_fact, translations: Readonly<Record<string, string>>, languages, expected) => {
  expect(pickTranslation(translations, languages)).toBe(expected);
});

test('__proto__ is a key like any other', () => {
  const translations = JSON.parse('{"en": "a", "__proto__": "b"}');
  expect(pickTranslation(translations, ['__proto__'])).toBe('b');
  expect(pickTranslation(translations, ['__PROTO--'])).toBe('b');
  expect(pickTranslation(JSON.parse('{"__proto__": "b"}'), ['en'])).toBe('b');
});

test('a map without a prototype works', () => {
  const translations = Object.assign(Object.create(null), { en: 'a', pt: 'b' });
  expect(pickTranslation(translations, ['pt'])).toBe('b');
});

const tag = fc.oneof(
  fc.constantFrom('pt', 'PT', 'pt-BR', 'pt_br', 'pt_PT', 'pt-BR-x', 'en', 'en_GB', 'e', '', '-', '_'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '1'),
  fc.string({ maxLength: 4 }),
);
const anyTranslations = fc.dictionary(tag, fc.oneof(fc.constant(''), fc.string({ maxLength: 3 })), { maxKeys: 6 });
const anyLanguages = fc.array(tag, { maxLength: 4 });

/** Distance of a key from a language: the fewer leading subtags they share, the larger; undefined if they share none. */
function distance(key: string, language: string): number | undefined {
  if (key === language) return 0;
  const [tag = [], wanted = []] = [key, language].map(word => word.toLowerCase().split(/[-_]/));
  for (let shared = wanted.length; shared > 0; shared--) {
    const range = wanted.slice(0, shared).join('-');
    if (range === '' || tag.slice(0, shared).join('-') !== range || tag.length < shared) continue;
    return 2 * (wanted.length - shared) + (tag.length === shared ? 1 : 2);
  }
  return undefined;
}

test('agrees with a ranking of all keys by their distance from each language', () => {
  fc.assert(
    fc.property(anyTranslations, anyLanguages, (translations, languages) => {
      const filled = Object.entries(translations).filter(([, text]) => text !== '');
      const ranked = languages.flatMap(language =>
        Array.from({ length: 20 }, (_, wanted) => wanted).flatMap(wanted =>
          filled.filter(([key]) => distance(key, language) === wanted),
        ),
      );
      const [best] = [...ranked, ...filled, ...Object.entries(translations)];
      expect(pickTranslation(translations, languages)).toBe(best?.[1] ?? null);
    }),
    { numRuns: 2000 },
  );
});

test('picks one of the translations, and null only if there are none', () => {
  fc.assert(
    fc.property(anyTranslations, anyLanguages, (translations, languages) => {
      const posted: (string | null)[] = Object.values(translations);
      expect(posted.length > 0 ? posted : [null]).toContain(pickTranslation(translations, languages));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['that the menu does not have', ['xx', 'pt', 'yy-ZZ'], ['pt']],
  ['in another case', ['PT', 'EN'], [{ tag: 'pt' }, { tag: 'en' }]],
  ['with further subtags', ['pt-BR-x-a', 'pt_br', 'pt'], [{ tag: 'pt' }, 'pt']],
  ['that come twice', ['en', 'pt', 'en'], ['en', 'pt']],
  ['beyond the first 20', [...Array.from({ length: 20 }, (_, at) => `x${at}`), 'en'], []],
])('languages %s', (_name, preferred, expected) => {
  expect(canonicalLanguages(preferred, indexed(['en', 'pt']))).toEqual(expected);
});

test('languages that are alike pick the same translation of every text', () => {
  const tag = fc.constantFrom(
    'pt',
    'PT',
    'pt-BR',
    'pt_br',
    'pt-PT',
    'zh',
    'zh-Hant',
    'zh_Hant_TW',
    'en',
    'de',
    '',
    'constructor',
  );
  const texts = fc.array(fc.dictionary(tag, fc.constantFrom('', 'a', 'b', 'c')), { minLength: 1, maxLength: 4 });
  const preferred = fc.array(tag, { maxLength: 3 });
  fc.assert(
    fc.property(texts, preferred, preferred, (menu, one, other) => {
      const languages = indexed([...new Set(menu.flatMap(text => Object.keys(text)))]);
      const [spelt, otherwise] = [one, other].map(list => JSON.stringify(canonicalLanguages(list, languages)));
      for (const text of spelt === otherwise ? menu : [])
        expect(pickTranslation(text, one)).toBe(pickTranslation(text, other));
    }),
    { numRuns: 2_000 },
  );
});

test('of a text in more languages than a menu may have, the first and those that are spelled alike count', () => {
  const keys = Array.from({ length: 10 * menuTextLimits.languages }, (_, at) => `x${at}-YZ`);
  const translations = Object.fromEntries(keys.map(key => [key, `text ${key}`]));
  expect(pickTranslation(translations, ['X7'])).toBe('text x7-YZ');
  expect(pickTranslation(translations, ['x900-YZ'])).toBe('text x900-YZ');
  expect(pickTranslation(translations, ['x900'])).toBe('text x0-YZ');
  expect(indexLanguages(keys.slice(0, menuTextLimits.languages))).toBeUndefined();
});

test('a key of any length costs a bounded number of its parts', () => {
  const key = 'a-'.repeat(100_000);
  expect(indexed([key]).size - key.length).toBeLessThan(10_000);
  expect(canonicalLanguages(['A-a-b'], indexed([key]))).toEqual([{ tag: 'a-a' }]);
  expect(pickTranslation({ en: 'x', [key]: 'y' }, ['a-A-b'])).toBe('y');
});
