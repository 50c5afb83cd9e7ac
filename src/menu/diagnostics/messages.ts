import { memoize } from '@carte/base/memoize';
import type { MultilingualText } from '../entities.ts';
import { type KindName, kindOf } from '../kinds.ts';
import { keysOf } from '../translations.ts';

export interface Named {
  readonly externalId: string;
  readonly name?: MultilingualText | null | undefined;
}

/** The noun of a kind, at the begin of a sentence. */
export function capitalizedNoun(kind: KindName): string {
  const { noun } = kindOf(kind);
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}

/** Once for each entity, whose name many findings may quote: a long one takes milliseconds to look through. */
export const displayName = memoize((entity: Named): string => quote(nameOf(entity)));

/** Returns an entity's first name that is not blank, or else its external id. */
export const nameOf = memoize(
  ({ externalId, name }: Named): string =>
    translationsOf(name)
      .map(([, text]) => text)
      .find(text => !isBlank(text)) ?? externalId,
);

/** The translations of a text by language; of one that was stored when it could have any number, the first ones. */
export function translationsOf(text: MultilingualText | null | undefined): readonly (readonly [string, string])[] {
  const { translations = {} } = text ?? {};
  return keysOf(translations).map(key => [key, translations[key] ?? '']);
}

/** Quotes a posted text on one line, truncated to 60 characters. */
export function quote(text: string): string {
  // The flag `u` counts code points, so that no emoji is cut in half.
  const [start = ''] = text.trim().match(/^.{0,60}/su) ?? [];
  const line = start.replaceAll(/\s+/g, ' ');
  return `"${start.length < text.trim().length ? `${line}…` : line}"`;
}

export function pluralize(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Formats a path, e.g. `items[3].price`; keys that are not identifiers are quoted. */
export function formatPath(path: readonly (string | number)[]): string {
  const parts = path.map(part => {
    if (typeof part === 'number') return `[${part}]`;
    return /^[a-z_]\w*$/i.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
  });
  return parts.join('').replace(/^\./, '');
}
