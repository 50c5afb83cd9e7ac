import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { messageOf } from '../../errors.ts';
import { formatLocalTime, parseLocalTime } from '../../menu/local-time.ts';
import { normalize } from '../../menu/search.ts';
import type { App, Screen } from '../app.ts';
import { renderNoMenu } from '../menu/no-menu.ts';
import { createTimes } from '../orders/times.ts';
import { createOutbox, type Repeatable } from '../outbox.ts';
import type { StoreContext } from '../session.ts';
import { loadStock, pollMenu, type Stock, type StockEntry, setStock, type WantedStock } from './entries.ts';

/** On a tablet the keyboard would cover the list. */
const hasKeyboard = matchMedia('(pointer: fine)').matches;

/** For how long something is sold out. */
interface Duration {
  readonly label: string;
  readonly until: (timezone: string | null) => string | null;
}

const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000);
const untilChanged: Duration = { label: 'until it is put back', until: () => null };
const durations: readonly Duration[] = [
  untilChanged,
  { label: 'for 1 hour', until: () => hoursFromNow(1).toISOString() },
  { label: 'for 3 hours', until: () => hoursFromNow(3).toISOString() },
  {
    label: 'until tomorrow, 05:00',
    until(timezone) {
      const tomorrow = formatLocalTime(hoursFromNow(24), timezone).slice(0, 10);
      return parseLocalTime(`${tomorrow}T05:00`, timezone)?.toISOString() ?? null;
    },
  },
];

/** What is sold out: a search, and one tap for each item and modifier item. */
export function createStock(app: App, store: StoreContext): Screen {
  const times = createTimes(store);
  let stock: Stock | undefined;
  let query = '';
  let onlySoldOut = false;
  let duration: Duration = untilChanged;
  let isOffline = false;

  const setOffline = (next: boolean) => {
    if (isOffline === next) return;
    isOffline = next;
    app.update();
  };
  const outbox = createOutbox<WantedStock & Repeatable>({
    storageKey: `carte.console.stock.${store.id}`,
    keyOf: ({ key }) => key,
    batchSize: Number.POSITIVE_INFINITY,
    async send(changes) {
      const revision = await setStock(store.id, changes);
      const byKey = new Map(changes.map(change => [change.key, change]));
      const entries = stock?.entries.map(entry => ({ ...entry, ...byKey.get(entry.key) }));
      if (entries) stock = { revision, entries };
    },
    onRefused(_changes, error) {
      app.notices.problem(`The stock was not changed. ${messageOf(error)}`);
      load();
    },
    onConnection: setOffline,
    update: app.update,
  });

  async function load(): Promise<void> {
    stock = await loadStock(store);
    app.update();
  }

  const endPolling = pollMenu({
    app,
    storeId: store.id,
    revision: () => stock?.revision,
    load,
    onConnection: setOffline,
  });

  const isInStock = ({ key, inStock }: StockEntry) => outbox.changeOf(key)?.inStock ?? inStock;

  function toggle(entry: StockEntry): void {
    const { key, kind, externalId } = entry;
    const inStock = !isInStock(entry);
    outbox.add({ key, kind, externalId, inStock, until: inStock ? null : duration.until(store.timezone) });
    app.notices.announce(`${entry.name}: ${isInStock(entry) ? 'in stock' : 'sold out'}`);
  }

  function view(): TemplateResult {
    const entries = stock?.entries ?? [];
    const words = normalize(query).split(/\s+/).filter(Boolean);
    const matching = entries.filter(({ searched }) => words.every(word => searched.includes(word)));
    // What was just put back stays where it is until its change is confirmed.
    const shown = matching.filter(
      entry => !onlySoldOut || !isInStock(entry) || outbox.changeOf(entry.key) !== undefined,
    );
    const soldOut = entries.filter(entry => !isInStock(entry)).length;
    return html`
      <div class="page">
        <div class="board-head">
          <h1 dir="auto">${store.name}</h1>
          ${isOffline ? html`<p class="connection offline" role="status">No connection: changes are sent when it is back</p>` : nothing}
        </div>
        <search class="line" ?hidden=${stock?.entries.length === 0}>
          <label for="search" class="visually-hidden">Search dishes and options</label>
          <input id="search" type="search" class="wide" autocomplete="off" spellcheck="false" ?autofocus=${hasKeyboard} aria-keyshortcuts="/"
            placeholder="Dish or option" .value=${query} @input=${({ target }: InputEvent) => {
              query = (target as HTMLInputElement).value;
              app.update();
            }}>
          <button type="button" aria-pressed=${onlySoldOut} @click=${() => {
            onlySoldOut = !onlySoldOut;
            app.update();
          }}>Sold out <span class="count">${soldOut}</span></button>
          <label for="duration" class="visually-hidden">For how long a tap marks as sold out</label>
          <select id="duration" @change=${({ target }: Event) => {
            duration = durations[(target as HTMLSelectElement).selectedIndex] ?? untilChanged;
          }}>${durations.map(({ label }) => html`<option>${label}</option>`)}</select>
        </search>
        <p class="small" role="status">${describe(shown.length)}</p>
        ${stock?.entries.length === 0 ? renderNoMenu(app, store) : nothing}
        ${renderKind('Dishes', 'items', shown)}
        ${renderKind('Options', 'modifierItems', shown)}
      </div>`;
  }

  function describe(count: number): string {
    if (!stock) return 'Loading…';
    if (stock.entries.length === 0) return '';
    if (count === 0) return query.trim() ? `Nothing found for “${query.trim()}”.` : 'Nothing is sold out.';
    return count === 1 ? '1 shown' : `${count} shown`;
  }

  function renderKind(title: string, kind: StockEntry['kind'], shown: readonly StockEntry[]) {
    const entries = shown.filter(entry => entry.kind === kind);
    if (entries.length === 0) return nothing;
    return html`
      <h2 id=${kind}>${title}</h2>
      <ul class="list stock" aria-labelledby=${kind}>${repeat(entries, ({ key }) => key, renderEntry)}</ul>`;
  }

  function renderEntry(entry: StockEntry): TemplateResult {
    const inStock = isInStock(entry);
    const { until } = outbox.changeOf(entry.key) ?? entry;
    const soldOut = until ? `sold out until ${times.at(until, Date.now())}` : 'sold out';
    return html`
      <li>
        <button type="button" role="switch" class="row switch" aria-checked=${inStock} @click=${() => toggle(entry)}>
          <span><strong dir="auto">${entry.name}</strong> <span class="small"><bdi>${entry.detail}</bdi></span></span>
          <span class="stock-state" aria-hidden="true">${inStock ? 'in stock' : soldOut}${outbox.changeOf(entry.key) === undefined ? nothing : ' …'}</span>
        </button>
      </li>`;
  }

  return {
    title: () => `Stock · ${store.name}`,
    view,
    close() {
      endPolling();
      outbox.close();
    },
  };
}
