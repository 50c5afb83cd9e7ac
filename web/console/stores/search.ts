import type { ConsoleMerchantsQuery, ConsoleStoreNamesQuery, ConsoleStoresQuery } from '../../../src/generated/web.ts';
import { storeName } from '../../menu/languages.ts';
import type { App } from '../app.ts';
import { openOperations } from '../client.ts';
import { createPagedList } from './paged-list.ts';

const { operation } = openOperations(new URL('stores.graphql', import.meta.url));
const fetchStores = operation('ConsoleStores');
const fetchStoreNames = operation('ConsoleStoreNames');
const fetchMerchants = operation('ConsoleMerchants');

type NamedStore = ConsoleStoreNamesQuery['stores']['nodes'][number];
export type Store = NamedStore & Partial<ConsoleStoresQuery['stores']['nodes'][number]>;
export type Merchant = ConsoleMerchantsQuery['merchants']['nodes'][number];

/** Wait for a pause in typing before searching. */
const pauseMs = 200;

/** Searches the stores and merchants of the key by words. */
export function createStoreSearch(app: App) {
  let text = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let loading: Promise<unknown> = Promise.resolve();
  const hasDetails = app.can('READ_MENUS');
  const readStores = hasDetails ? fetchStores : fetchStoreNames;
  const stores = createPagedList<Store>(app, async after => (await readStores({ search: text, after })).stores);
  const merchants = createPagedList<Merchant>(
    app,
    async after => (await fetchMerchants({ search: text, after })).merchants,
  );

  function search(next: string): void {
    text = next;
    clearTimeout(timer);
    timer = undefined;
    loading = Promise.all([stores.load(), hasDetails && merchants.load()]);
  }

  return {
    stores,
    merchants,
    text: () => text,
    search,
    /** Searches after a pause in typing. */
    type({ target }: Event): void {
      text = (target as HTMLInputElement).value;
      clearTimeout(timer);
      timer = setTimeout(() => search(text), pauseMs);
    },
    /** Resolves when what is found belongs to the text. */
    async settle(): Promise<void> {
      if (timer !== undefined) search(text);
      await loading;
    },
    close: () => clearTimeout(timer),
  };
}

export const nameOfStore = ({ id, name }: Store): string => storeName(name, navigator.languages) ?? id;

export const placeOfStore = ({ address, merchant }: Store): string =>
  [merchant?.brandName, address?.city, address?.country].filter(Boolean).join(' · ');

export const countStores = (count: number): string => (count === 1 ? '1 store' : `${count} stores`);
