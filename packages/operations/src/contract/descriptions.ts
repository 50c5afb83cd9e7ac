import type { Operation } from './contract.ts';

/** Where a description of the graph is inherited to. */
interface Surroundings {
  /** The graph's names beside it with those that callers know them by; undefined for those that they do not get. */
  readonly names: ReadonlyMap<string, string | undefined>;
  /** The name for callers of anything else in the graph; undefined if there is none. */
  readonly otherName: (name: string) => string | undefined;
  /** Whether a clause is not true here, e.g. since bounds are others. */
  readonly isUntrue?: (clause: string) => boolean;
}

const sentenceEnd = /(?<=(?<!e\.g|i\.e)\.)\s+(?=[A-Z`])/;
const codeName = /`([A-Za-z]\w*(?:\.\w+)?)`/g;
/** A word of the graph: documents of routes say by themselves what is required. */
const nullability = /\bnullable\b/i;
const graphName = /[a-z\d][A-Z]|\./;

/**
 * The part of a description that is true where it is inherited to, with the names of callers: without clauses that name what they do not get, without
 * the rest of a sentence whose main clause is none of it, and without sentences about what is nullable.
 */
export function inheritDescription(
  description: string | null | undefined,
  { names, otherName, isUntrue = () => false }: Surroundings,
): string | undefined {
  const nameOf = (name: string) => {
    if (names.has(name)) return names.get(name);
    return graphName.test(name) ? otherName(name) : name;
  };
  const isTrue = (clause: string) =>
    !isUntrue(clause) && [...clause.matchAll(codeName)].every(([, name = '']) => nameOf(name) !== undefined);
  const sentences = (description ?? '').split(sentenceEnd).flatMap(sentence => {
    const [main = '', ...others] = sentence.split('; ');
    if (!isTrue(main) || nullability.test(sentence)) return [];
    const kept = [main, ...others.filter(isTrue)].join('; ');
    return /[.:]$/.test(kept) ? [kept] : [`${kept}.`];
  });
  const text = sentences.join(' ').trim();
  if (text === '' || text === '.') return undefined;
  return text.replace(codeName, (_, name) => `\`${nameOf(name)}\``);
}

/** Whether a clause has numbers other than the bounds of an integer. */
export function hasOtherBounds(clause: string, bounds: readonly (number | undefined)[]): boolean {
  const numbers = (clause.replaceAll(/`[^`]*`/g, '').match(/\d[\d,]*/g) ?? []).map(text =>
    Number(text.replaceAll(',', '')),
  );
  return numbers.some(number => !bounds.includes(number));
}

/** Speaks of a value that is not given, which one that is required or has a default always is. */
export const isAboutOmission = (clause: string): boolean => /\b(?:omitted|default|unless|absent|null)\b/i.test(clause);

/** Also between single letters: `menuOfAStore`. */
export const wordBreak = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/g;

/** The name of an operation in words: `getOpeningHours` is "Get opening hours". */
export function toWords(name: string): string {
  const words = name.replace(wordBreak, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What an operation does: its own description, or else its summary and what the graph says of the body. */
export function describeOperation({ name, route: { summary, description }, returns = '' }: Operation): string {
  return description ?? `${toSentence(summary ?? toWords(name))} ${returns}`.trim();
}

/** A text as a whole sentence. */
export const toSentence = (text: string): string => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);
