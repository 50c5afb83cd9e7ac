/** Whether If-None-Match, or If-Match, names whatever there is. */
export const isAnyTag = (header: string): boolean => header.trim() === '*';

/** The first entity tag of If-None-Match that is meant. Weak tags are compared like strong ones, as RFC 9110 13.1.2 has it. */
export function namedTag(ifNoneMatch: string, isMeant: (tag: string) => boolean): string | undefined {
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].map(([tag]) => tag).find(isMeant);
}
