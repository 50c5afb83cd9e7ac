import { isPublishable } from '../key.ts';

/** What the reader has selected. It is in the URL of the page, so that it can be shared; of API keys, only a publishable one is. */
export interface ViewState {
  readonly key?: string;
  readonly store: string | undefined;
  readonly language: string | undefined;
  /** `now`, `any`, or a time for `parseLocalTime`. */
  readonly at: string;
}

export function parseSearch(search: string): ViewState {
  const parameters = new URLSearchParams(search);
  const key = parameters.get('key') ?? '';
  return {
    ...(isPublishable(key) && { key }),
    store: parameters.get('store') || undefined,
    language: parameters.get('language') || undefined,
    at: parameters.get('at') || 'now',
  };
}

export function formatSearch({ key, store, language, at }: ViewState): string {
  const parameters = new URLSearchParams();
  if (store) parameters.set('store', store);
  if (language) parameters.set('language', language);
  if (at !== 'now') parameters.set('at', at);
  if (key) parameters.set('key', key);
  // A query needs no escaped colon, and a time is more readable without.
  return `?${parameters}`.replaceAll('%3A', ':');
}
