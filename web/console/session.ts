import type { ConsoleStoreQuery } from '../../src/generated/web.ts';
import { RequestError } from '../errors.ts';
import { chooseLanguage, primarySubtag, storeName } from '../menu/languages.ts';
import { createPriceFormats, type PriceFormats } from '../menu/price-formats.ts';
import type { App } from './app.ts';
import { openOperations } from './client.ts';

const operations = openOperations(new URL('session.graphql', import.meta.url));
export const fetchViewer = operations.operation('Viewer');
const fetchEdgeCaches = operations.operation('EdgeCaches');
const fetchStoreBasics = operations.operation('ConsoleStoreBasics');
const fetchStore = operations.operation('ConsoleStore');

/** The console is in English, with the reader's variant of it; readers of other languages get 24 hours. */
export const consoleLocale = navigator.languages.find(language => primarySubtag(language) === 'en') ?? 'en-GB';

/** A store as its screens show it: its content in the reader's language, amounts in its currency. */
export interface StoreContext {
  readonly id: string;
  readonly name: string;
  readonly brand: string | undefined;
  readonly timezone: string | null;
  readonly currency: string | null;
  readonly menuLanguages: readonly string[];
  /** The language of its menu that the reader prefers, and then the reader's others. */
  readonly languages: readonly string[];
  readonly format: PriceFormats;
}

const unknown = { menuLanguages: [], merchant: null };

export async function loadStore(id: string, { can }: Pick<App, 'can'>): Promise<StoreContext> {
  const { store: found } = can('READ_MENUS') ? await fetchStore({ store: id }) : await fetchStoreBasics({ store: id });
  const store: ConsoleStoreQuery['store'] = found && { ...unknown, ...found };
  if (!store) throw new RequestError(`No store in the scope of this key has the id “${id}”.`);
  const { timezone, currency, menuLanguages, merchant } = store;
  const languages = [chooseLanguage(menuLanguages, navigator.languages) ?? '', ...navigator.languages];
  return {
    ...{ id, timezone, currency, menuLanguages, languages },
    brand: merchant?.brandName,
    name: storeName(store.name, languages) ?? id,
    format: createPriceFormats(consoleLocale, currency),
  };
}

const edgeIntervalMs = 60_000;

/** Shows an operator, once for each failure, which caches go on with what has changed; returns the function that ends it. */
export function watchEdgeCaches({ can, notices }: Pick<App, 'can' | 'notices'>): () => void {
  if (!can('ADMIN')) return () => {};
  const shown = new Set<string>();
  const check = async () => {
    for (const { name, failingSince, failure } of (await fetchEdgeCaches({})).edgeCaches) {
      if (failingSince === null || shown.has(name + failingSince)) continue;
      shown.add(name + failingSince);
      const since = new Date(failingSince).toLocaleTimeString(consoleLocale);
      notices.problem(
        `The cache ${name} has confirmed no purge since ${since} (${failure}): guests may see old prices, and what is sold out.`,
      );
    }
  };
  // The next time shows what one did not.
  const checkAgain = () => void check().catch(() => {});
  checkAgain();
  const timer = setInterval(checkAgain, edgeIntervalMs);
  return () => clearInterval(timer);
}
