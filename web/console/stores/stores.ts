import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { type App, followLink, type Screen } from '../app.ts';
import { renderState } from '../orders/ordering.ts';
import { createTimes } from '../orders/times.ts';
import { formatRoute } from '../route.ts';
import { firstViewOf } from '../shell.ts';
import { countStores, createStoreSearch, type Merchant, nameOfStore, placeOfStore, type Store } from './search.ts';

/** The stores and merchants of the key, with a search. */
export function createStores(app: App): Screen {
  const { stores, merchants, text, search, type, close } = createStoreSearch(app);
  search('');

  /** Opens the first store. */
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const [first] = stores.nodes();
    if (first) app.navigate({ view: firstViewOf(app) ?? 'orders', store: first.id });
  }

  return {
    title: () => 'Stores',
    close,
    view: () => html`
      <div class="page">
        <h1>Stores</h1>
        <search>
          <form @submit=${submit}>
            <label for="search" class="visually-hidden">Search stores and merchants</label>
            <input id="search" type="search" class="wide" autocomplete="off" spellcheck="false" autofocus
              placeholder="Name, city, brand or id" aria-keyshortcuts="/" .value=${text()} @input=${type}>
          </form>
        </search>
        <p class="small" role="status">${stores.hasFailed() ? 'The stores could not be read.' : describe(stores.count(), text())}</p>
        <ul class="list">${repeat(
          stores.nodes(),
          ({ id }) => id,
          store => renderStore(app, store),
        )}</ul>
        ${stores.renderMore()}
        ${firstViewOf(app) ? nothing : html`<p>This key may neither read orders nor menus, so there is nothing to open here.</p>`}
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

  function renderMerchant({ brandName, stores: { totalCount }, businessType }: Merchant): TemplateResult {
    const show = () => {
      search(brandName);
      document.getElementById('search')?.focus();
    };
    return html`
      <li>
        <button type="button" class="row" @click=${show}>
          <strong dir="auto">${brandName}</strong>
          <span class="small">${countStores(totalCount)}${businessType ? ` · ${businessType.name}` : nothing}</span>
        </button>
      </li>`;
  }
}

function renderStore(app: App, store: Store): TemplateResult {
  const route = { view: firstViewOf(app) ?? 'orders', store: store.id };
  return html`
    <li>
      <a class="row" href="console${formatRoute(route)}" @click=${followLink(app, route)}>
        <strong dir="auto">${nameOfStore(store)}</strong>
        ${renderOrdering(store)}
        <span class="small"><bdi>${placeOfStore(store)}</bdi> <code>${store.id}</code></span>
      </a>
    </li>`;
}

/** What is out of the ordinary. */
function renderOrdering({ ordering, timezone = null }: Store): TemplateResult | typeof nothing {
  if (!ordering || ordering.state === 'OPEN') return nothing;
  return html`<span class="ordering ${ordering.state.toLowerCase()}">${renderState(ordering, createTimes({ timezone }))}</span>`;
}

function describe(count: number | undefined, text: string): string {
  if (count === undefined) return 'Loading…';
  if (text.trim() !== '') return count === 0 ? `Nothing found for “${text.trim()}”.` : `${count} found`;
  return count === 0 ? 'This key has access to no store.' : countStores(count);
}
