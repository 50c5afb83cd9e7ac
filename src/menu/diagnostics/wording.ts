import type { MultilingualText } from '../entities.ts';

export interface Named {
  readonly externalId: string;
  readonly name?: MultilingualText | null | undefined;
}

/** What a merchant calls an entity: its first name that is no blank, else its external id. */
export function called({ externalId, name }: Named): string {
  return quoted(Object.values(name?.translations ?? {}).find(text => !isBlank(text)) ?? externalId);
}

/** A posted word within a sentence: on one line, and not longer than the sentence can bear. */
export function quoted(word: string): string {
  // By code point, so that no emoji is cut in half.
  const [start = ''] = word.trim().match(/^.{0,60}/su) ?? [];
  const shown = start.replaceAll(/\s+/g, ' ');
  return `"${start.length < word.trim().length ? `${shown}…` : shown}"`;
}

export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}
