import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type {
  ConsoleMerchantsQuery,
  ConsoleMerchantsQueryVariables,
  ConsoleStoreNamesQuery,
  ConsoleStoreNamesQueryVariables,
  ConsoleStoresQuery,
  ConsoleStoresQueryVariables,
} from '../../../src/generated/web.ts';
import { storeName } from '../../menu/languages.ts';
import { type App, followLink, type Screen } from '../app.ts';
import { openOperations } from '../client.ts';
import { formatRoute } from '../route.ts';
import { firstViewOf } from '../shell.ts';
import { createPagedList } from './paged-list.ts';

const operations = openOperations(new URL('stores.graphql', import.meta.url));
const fetchStores = operations.operation<ConsoleStoresQuery, ConsoleStoresQueryVariables>('ConsoleStores');
const fetchStoreNames = operations.operation<ConsoleStoreNamesQuery, ConsoleStoreNamesQueryVariables>(
  'ConsoleStoreNames',
);
const fetchMerchants = operations.operation<ConsoleMerchantsQuery, ConsoleMerchantsQueryVariables>('ConsoleMerchants');

type NamedStore = ConsoleStoreNamesQuery['stores']['nodes'][number];
type Store = NamedStore & Partial<ConsoleStoresQuery['stores']['nodes'][number]>;
type Merchant = ConsoleMerchantsQuery['merchants']['nodes'][number];

/** Wait for a pause in typing before searching. */
const pauseMs = 200;

/** The stores and merchants of the key, with a search. */
export function createStores(app: App): Screen {
  let search = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hasDetails = app.can('READ_MENUS');
  const readStores = hasDetails ? fetchStores : fetchStoreNames;
  const stores = createPagedList<Store>(app, async after => (await readStores({ search, after })).stores);
  const merchants = createPagedList<Merchant>(app, async after => (await fetchMerchants({ search, after })).merchants);
  const load = () => {
    stores.load();
    if (hasDetails) merchants.load();
  };
  load();

  function type({ target }: InputEvent): void {
    search = (target as HTMLInputElement).value;
    clearTimeout(timer);
    timer = setTimeout(load, pauseMs);
  }

  /** Opens the first store. */
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const [first] = stores.nodes();
    if (first) app.navigate({ view: firstViewOf(app) ?? 'orders', store: first.id });
  }

  return {
    title: () => 'Stores',
    close: () => clearTimeout(timer),
    view: () => html`
      <div class="page">
        <h1>Stores</h1>
        <search>
          <form @submit=${submit}>
            <label for="search" class="visually-hidden">Search stores and merchants</label>
            <input id="search" type="search" class="wide" autocomplete="off" spellcheck="false" autofocus
              placeholder="Name, city, brand or id" aria-keyshortcuts="/" .value=${search} @input=${type}>
          </form>
        </search>
        <p class="small" role="status">${stores.hasFailed() ? 'The stores could not be read.' : describe(stores.count(), search)}</p>
        <ul class="list">${repeat(
          stores.nodes(),
          ({ id }) => id,
          store => renderStore(app, store),
        )}</ul>
        ${stores.renderMore()}
        ${
          merchants.nodes().length > 0
            ? html`
              <h2>Merchants</h2>
              <ul class="list">${repeat(merchants.nodes(), ({ id }) => id, renderMerchant)}</ul>
              ${merchants.renderMore()}`
            : nothing
        }
      </div>`,
  };

  function renderMerchant({ brandName, stores: { count }, businessType }: Merchant): TemplateResult {
    const show = () => {
      search = brandName;
      load();
      app.update();
      document.getElementById('search')?.focus();
    };
    return html`
      <li>
        <button type="button" class="row" @click=${show}>
          <strong dir="auto">${brandName}</strong>
          <span class="small">${count === 1 ? '1 store' : `${count} stores`}${businessType ? ` · ${businessType.name}` : nothing}</span>
        </button>
      </li>`;
  }
}

function renderStore(app: App, { id, name, city, country, merchant }: Store): TemplateResult {
  const route = { view: firstViewOf(app) ?? 'orders', store: id };
  const place = [merchant?.brandName, city, country].filter(Boolean).join(' · ');
  return html`
    <li>
      <a class="row" href="console${formatRoute(route)}" @click=${followLink(app, route)}>
        <strong dir="auto">${storeName(name, navigator.languages) ?? id}</strong>
        <span class="small"><bdi>${place}</bdi> <code>${id}</code></span>
      </a>
    </li>`;
}

function describe(count: number | undefined, search: string): string {
  if (count === undefined) return 'Loading…';
  if (search.trim() !== '') return count === 0 ? `Nothing found for “${search.trim()}”.` : `${count} found`;
  return count === 0 ? 'This key has access to no store.' : count === 1 ? '1 store' : `${count} stores`;
}
