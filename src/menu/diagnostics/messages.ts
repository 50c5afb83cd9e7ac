import type { MultilingualText } from '../entities.ts';
import { type KindName, kindOf } from '../kinds.ts';

export interface Named {
  readonly externalId: string;
  readonly name?: MultilingualText | null | undefined;
}

/** The noun of a kind, at the begin of a sentence. */
export function capitalizedNoun(kind: KindName): string {
  const { noun } = kindOf(kind);
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}

export function displayName(entity: Named): string {
  return quote(nameOf(entity));
}

/** Returns an entity's first name that is not blank, or else its external id. */
export function nameOf({ externalId, name }: Named): string {
  return Object.values(name?.translations ?? {}).find(text => !isBlank(text)) ?? externalId;
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
