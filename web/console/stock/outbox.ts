import { Unreachable } from '../../errors.ts';
import { type StockEntry, setStock } from './entries.ts';

type Wanted = Pick<StockEntry, 'key' | 'kind' | 'externalId' | 'inStock' | 'until'>;

export interface StockOutboxOptions {
  readonly storeId: string;
  /** Called with the revision after the change. */
  readonly onChanged: (changes: readonly Wanted[], revision: number) => void;
  readonly onRefused: (changes: readonly Wanted[], error: unknown) => void;
  readonly onConnection: (isOffline: boolean) => void;
}

const retryMs = 2000;

/** Sends the wanted stock, and again until there is a response. It is stored in the tab, so that a reload loses nothing. */
export function createStockOutbox({ storeId, onChanged, onRefused, onConnection }: StockOutboxOptions) {
  const storageKey = `carte.console.stock.${storeId}`;
  const stored: readonly Wanted[] = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
  const wanted = new Map(stored.map(change => [change.key, change]));
  let isSending = false;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function store(): void {
    if (wanted.size > 0) sessionStorage.setItem(storageKey, JSON.stringify([...wanted.values()]));
    else sessionStorage.removeItem(storageKey);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    if (isSending || isClosed || wanted.size === 0) return;
    isSending = true;
    const changes = [...wanted.values()];
    const ofKind = (kind: StockEntry['kind']) =>
      changes
        .filter(change => change.kind === kind)
        .map(({ externalId, inStock, until }) => {
          // What could not be sent before its time was over is back by now.
          const isOver = until !== null && Date.parse(until) <= Date.now();
          return isOver ? { externalId, inStock: true } : { externalId, inStock, until };
        });
    try {
      const variables = { store: storeId, items: ofKind('items'), modifierItems: ofKind('modifierItems') };
      const { setStock: result } = await setStock(variables);
      settle(changes);
      onConnection(false);
      onChanged(changes, result?.revision ?? 0);
    } catch (error) {
      if (error instanceof Unreachable) onConnection(true);
      else {
        settle(changes);
        onRefused(changes, error);
      }
    } finally {
      isSending = false;
    }
    // At once what was changed meanwhile; later what could not be sent.
    const isWaiting = changes.some(({ key }) => wanted.has(key));
    if (wanted.size > 0 && !isClosed) timer = setTimeout(flush, isWaiting ? retryMs : 0);
  }

  function settle(changes: readonly Wanted[]): void {
    for (const change of changes) if (wanted.get(change.key) === change) wanted.delete(change.key);
    store();
  }

  flush();
  return {
    add({ key, kind, externalId }: StockEntry, inStock: boolean, until: string | null): void {
      wanted.set(key, { key, kind, externalId, inStock, until });
      store();
      flush();
    },
    /** The stock that the user wants; undefined if the server has confirmed it. */
    wanted: (key: string) => wanted.get(key),
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
