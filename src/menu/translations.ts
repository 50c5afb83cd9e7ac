import { memoize } from '@carte/base/memoize';
import { menuTextLimits } from '../limits.ts';

type Translations = Readonly<Record<string, string>>;

/**
 * Picks the best translation for a list of preferred languages. All matches of one language are tried before the next
 * language, since a reader who prefers [pt-BR, en] is better served by `pt` than by `en`. Falls back to the first translation.
 */
export function pickTranslation(translations: Translations, languages: readonly string[]): string | null {
  const rankOf = rankingBy(languages);
  let picked: string | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  const keys = keysOf(translations, languages);
  for (const key of keys) {
    if (translations[key] === '') continue;
    const rank = rankOf(key);
    if (rank >= lowest) continue;
    lowest = rank;
    picked = key;
  }
  return translations[picked ?? keys[0] ?? ''] ?? null;
}

/** Preferred languages that count, and the longest tag: a request may have thousands, for every text of a menu. */
const maxPreferred = 20;
const maxTagLength = 100;

const firstKeys = new WeakMap<Translations, readonly string[]>();

/** The languages of a text; of one that was stored when it could have any number, the first ones and those that are preferred. */
export function keysOf(translations: Translations, languages: readonly string[] = []): readonly string[] {
  const known = firstKeys.get(translations);
  const keys = known ?? Object.keys(translations);
  if (!known && keys.length <= menuTextLimits.languages) return keys;
  const first = known ?? keys.slice(0, menuTextLimits.languages);
  firstKeys.set(translations, first);
  // Own keys only, so that the language "constructor" does not match an inherited property.
  return [...first, ...languages.slice(0, maxPreferred).filter(language => Object.hasOwn(translations, language))];
}

/** After every language that matches a preferred one. */
const unmatched = Number.MAX_SAFE_INTEGER;
/** Keys of one ranking that are remembered: those of the texts of a menu, which are mostly the same few. */
const maxRanked = 1_000;

/**
 * Ranks language keys by preferred languages, once for each list of them: a key that is spelled like a language comes before one that equals its tag,
 * then come those that the tag begins, and the same for the tag truncated subtag by subtag (`zh-Hant-TW` → `zh-Hant` → `zh`), as RFC 4647 does.
 */
const rankingBy = memoize((languages: readonly string[]): ((key: string) => number) => {
  const spelled = new Map<string, number>();
  const tags = new Map<string, number>();
  let next = 0;
  const add = (ranks: Map<string, number>, text: string) => {
    if (!ranks.has(text)) ranks.set(text, next);
    next += 2;
  };
  for (const language of preferredOf(languages)) {
    add(spelled, language);
    for (const tag of [...prefixesOf(normalize(language))].reverse()) add(tags, tag);
  }
  const rank = (key: string): number => {
    let lowest = spelled.get(key) ?? unmatched;
    // From the shortest prefix on: where one is no tag, no longer one is.
    const whole = tagOf(key);
    for (const tag of prefixesOf(whole)) {
      const found = tags.get(tag);
      if (found === undefined) break;
      lowest = Math.min(lowest, tag === whole ? found : found + 1);
    }
    return lowest;
  };
  const ranked = new Map<string, number>();
  return key => {
    if (next === 0) return unmatched;
    const known = ranked.get(key);
    if (known !== undefined) return known;
    const found = rank(key);
    if (ranked.size < maxRanked) ranked.set(key, found);
    return found;
  };
});

const preferredOf = (languages: readonly string[]) =>
  languages.slice(0, maxPreferred).filter(({ length }) => length <= maxTagLength);

/** What is known of the languages of a menu, to compare lists of preferred languages by. */
export interface MenuLanguages {
  readonly keys: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  /** In characters. */
  readonly size: number;
}

/** Undefined for a menu whose languages are not all known, since it was stored when it could have any number. */
export function indexLanguages(languages: readonly string[]): MenuLanguages | undefined {
  if (languages.length >= menuTextLimits.languages) return undefined;
  const tags = new Set(languages.flatMap(language => [...prefixesOf(tagOf(language))]));
  const size = [...languages, ...tags].reduce((sum, text) => sum + text.length, 0);
  return { keys: new Set(languages), tags, size };
}

/**
 * Spells preferred languages alike that pick the same translations of any text of a menu: without those that match none, and
 * without the parts of a tag beyond what matches. A tag is an object, apart from a key that is spelled like it, which would be preferred.
 */
export function canonicalLanguages(preferred: readonly string[], { keys, tags }: MenuLanguages) {
  const canonical = preferredOf(preferred).map(language => {
    if (keys.has(language)) return language;
    const tag = [...prefixesOf(normalize(language))].findLast(prefix => tags.has(prefix));
    return tag === undefined ? undefined : { tag };
  });
  const texts = canonical.filter(language => language !== undefined).map(language => JSON.stringify(language));
  return [...new Set(texts)].map((text): string | { readonly tag: string } => JSON.parse(text));
}

/** The tag of a key, as far as a preferred language can be as long. */
const tagOf = (key: string) => normalize(key.slice(0, maxTagLength + 1));

/** What begins a tag subtag by subtag, and the tag, shortest first. */
function* prefixesOf(tag: string): Generator<string> {
  for (let end = tag.indexOf('-', 1); end !== -1; end = tag.indexOf('-', end + 1)) yield tag.slice(0, end);
  if (tag !== '') yield tag;
}

/** Spells `pt-BR`, `pt_br` and `PT_BR` alike. */
function normalize(tag: string): string {
  return tag.toLowerCase().replaceAll('_', '-');
}
