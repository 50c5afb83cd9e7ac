/** What the reader chose. It stands in the address of the page, so that it can be passed on; the key never does. */
export interface Choice {
  readonly store: string | undefined;
  readonly language: string | undefined;
  /** `now`, `any`, or a time as `momentOf` reads it. */
  readonly at: string;
}

export function readChoice(search: string): Choice {
  const parameters = new URLSearchParams(search);
  return {
    store: parameters.get('store') || undefined,
    language: parameters.get('language') || undefined,
    at: parameters.get('at') || 'now',
  };
}

export function writeChoice({ store, language, at }: Choice): string {
  const parameters = new URLSearchParams();
  if (store) parameters.set('store', store);
  if (language) parameters.set('language', language);
  if (at !== 'now') parameters.set('at', at);
  // A colon needs no escape in a query, and a time is easier to read with it.
  return `?${parameters}`.replaceAll('%3A', ':');
}
