import { Unreachable } from '../../errors.ts';
import { normalize } from '../../menu/search.ts';
import type { App } from '../app.ts';
import { openOperations } from '../client.ts';
import type { StoreContext } from '../session.ts';

const { operation } = openOperations(new URL('stock.graphql', import.meta.url));
const fetchStock = operation('Stock');
const fetchSoldOut = operation('SoldOutUntil');
const fetchRevision = operation('MenuRevision');
const changeStock = operation('SetStock');

const fetchMenuRevision = async (store: string): Promise<number | undefined> =>
  (await fetchRevision({ store })).store?.menuRevision;

const pollMs = 3000;

interface PollOptions {
  readonly app: App;
  readonly storeId: string;
  /** The revision that is shown; undefined before the first one. */
  readonly revision: () => number | undefined;
  readonly load: () => Promise<void>;
  readonly onConnection?: (isOffline: boolean) => void;
}

/** Loads the menu configuration, and again when someone else has changed it; returns the function that ends this. */
export function pollMenu({ app, storeId, revision, load, onConnection }: PollOptions): () => void {
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  async function poll(): Promise<void> {
    try {
      const shown = revision();
      const isCurrent = shown !== undefined && (await fetchMenuRevision(storeId)) === shown;
      if (!isCurrent && !isClosed) await load();
      onConnection?.(false);
    } catch (error) {
      if (isClosed) return;
      if (!(error instanceof Unreachable)) return app.fail(error);
      onConnection?.(true);
    }
    if (!isClosed) timer = setTimeout(poll, pollMs);
  }
  poll();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}

/** An item or a modifier item that can be sold out. */
export interface StockEntry {
  /** Unique among both kinds. */
  readonly key: string;
  readonly kind: 'items' | 'modifierItems';
  readonly externalId: string;
  readonly name: string;
  /** Where guests find it, and its price. */
  readonly detail: string;
  readonly inStock: boolean;
  /** When it is in stock again by itself. */
  readonly until: string | null;
  /** What a search compares. */
  readonly searched: string;
}

/** The stock that the user wants. */
export type WantedStock = Pick<StockEntry, 'key' | 'kind' | 'externalId' | 'inStock' | 'until'>;

export interface Stock {
  readonly revision: number;
  readonly entries: readonly StockEntry[];
}

interface Named {
  readonly externalId: string;
  readonly inStock: boolean;
  readonly name: { readonly text: string | null };
}

export async function loadStock({ id, languages, format }: StoreContext): Promise<Stock> {
  const [{ store }, { store: soldOut }] = await Promise.all([
    fetchStock({ store: id, languages }),
    fetchSoldOut({ store: id }),
  ]);
  const items = store?.items.map(item => toEntry('items', item, item.categories, format.price(item.price)));
  const options = store?.modifierItems.map(item =>
    toEntry('modifierItems', item, item.modifierGroups, format.priceChange(item.priceChange)),
  );
  const times = new Map(
    soldOut?.temporarilySoldOut.map(({ until, item, modifierItem }) => [
      item ? keyOf('items', item.externalId) : keyOf('modifierItems', modifierItem?.externalId ?? ''),
      until,
    ]),
  );
  const entries = [...(items ?? []), ...(options ?? [])].map(entry => ({
    ...entry,
    until: times.get(entry.key) ?? null,
  }));
  return { revision: store?.menuRevision ?? 0, entries };
}

/** Sets the stock of some entries; resolves to the revision after the change. */
export async function setStock(storeId: string, changes: readonly WantedStock[]): Promise<number> {
  const ofKind = (kind: StockEntry['kind']) =>
    changes
      .filter(change => change.kind === kind)
      .map(({ externalId, inStock, until }) => {
        // What could not be sent before its time was over is back by now.
        const isOver = until !== null && Date.parse(until) <= Date.now();
        return isOver ? { externalId, inStock: true } : { externalId, inStock, until };
      });
  const lists = { items: ofKind('items'), modifierItems: ofKind('modifierItems') };
  return (await changeStock({ store: storeId, ...lists })).setStock?.store.menuRevision ?? 0;
}

const keyOf = (kind: StockEntry['kind'], externalId: string) => `${kind}/${externalId}`;

function toEntry(
  kind: StockEntry['kind'],
  { externalId, name, inStock }: Named,
  parents: readonly Pick<Named, 'name'>[],
  price: string,
): Omit<StockEntry, 'until'> {
  const text = name.text || externalId;
  const places = [...new Set(parents.map(parent => parent.name.text))].filter(Boolean).join(', ');
  return {
    key: keyOf(kind, externalId),
    kind,
    externalId,
    name: text,
    // Isolated, since a sign is on the other side from right to left.
    detail: [places, price && `\u2066${price}\u2069`].filter(Boolean).join(' · '),
    inStock,
    searched: normalize(`${text} ${places} ${externalId}`),
  };
}
