import { html, nothing, type TemplateResult } from 'lit-html';
import { type App, followLink, type Screen, type Viewer } from './app.ts';
import { icon } from './icon.ts';
import { splitPermissions } from './permissions.ts';
import { formatRoute, type Route, storeViews, type View } from './route.ts';

/** The store of a key that has one only: it needs no list of stores. */
function onlyStoreOf({ scope }: Viewer): string | undefined {
  return !scope.all && scope.merchants.length === 0 && scope.stores.length === 1 ? scope.stores[0]?.id : undefined;
}

export function homeOf(app: App): Route {
  const store = onlyStoreOf(app.viewer);
  const view = firstViewOf(app);
  return store && view ? { view, store } : { view: 'stores' };
}

/** The view that a store opens with; undefined for a key that can use none. */
export const firstViewOf = (app: App) => storeViews.find(view => isAllowed(app, view));

/** Whether the key can use a view: what it cannot do is absent. */
export function isAllowed({ can, viewer }: App, view: View): boolean {
  if (view === 'orders') return can('READ_ORDERS');
  if (view === 'stock') return can('STOCK') && can('READ_MENUS');
  if (view === 'menu') return can('READ_MENUS');
  if (view === 'upload') return can('MENU') && can('READ_MENUS');
  if (view === 'history') return can('READ_HISTORY') && can('READ_MENUS');
  if (view === 'keys' || view === 'webhooks') return can('ADMIN') && viewer.scope.all;
  return true;
}

const titles: Readonly<Record<View, string>> = {
  stores: 'Stores',
  orders: 'Orders',
  stock: 'Stock',
  menu: 'Menu',
  upload: 'Upload',
  history: 'History',
  keys: 'Keys',
  webhooks: 'Webhooks',
};

export interface ShellOptions {
  readonly app: App;
  readonly screen: Screen;
  readonly forgetKey: () => void;
}

export function renderShell({ app, screen, forgetKey }: ShellOptions): TemplateResult {
  const { store } = app.route();
  const home: readonly View[] = onlyStoreOf(app.viewer) ? [] : ['stores', 'keys', 'webhooks'];
  const views = (store ? storeViews : home).filter(view => isAllowed(app, view));
  const watched = store ? undefined : app.watch()?.store;
  return html`
    <section class="bar" aria-label="Console">
      ${store && !onlyStoreOf(app.viewer) ? renderLink(app, { view: 'stores' }, html`${icon('chevron-left')}<span>Stores</span>`) : nothing}
      <nav aria-label="Views">
        ${views.map(view => renderLink(app, store ? { view, store } : { view }, renderTitle(app, view)))}
        ${watched ? renderLink(app, { view: 'orders', store: watched.id }, html`${renderTitle(app, 'orders')} · <bdi>${watched.name}</bdi>`) : nothing}
      </nav>
      ${store ? app.ordering()?.view() : nothing}
      <details class="account">
        <summary title="The API key of this tab">${icon('key')}<span>${app.viewer.name}</span></summary>
        <div>
          <p class="small">${describePermissions(app.viewer)}</p>
          <button type="button" @click=${forgetKey}>Forget the key</button>
        </div>
      </details>
    </section>
    <main id="content" tabindex="-1">${screen.view()}</main>
    ${app.dialogs.view()}
    ${app.notices.view()}`;
}

/** The orders have the number of those that no one has accepted. */
function renderTitle(app: App, view: View): TemplateResult {
  const watch = view === 'orders' ? app.watch() : undefined;
  const { store = watch?.store.id } = app.route();
  const count = watch?.store.id === store ? (watch?.newCount() ?? 0) : 0;
  return html`${titles[view]}${count > 0 ? html` <span class="count new">${count}<span class="visually-hidden"> new</span></span>` : nothing}`;
}

function renderLink(app: App, route: Route, label: TemplateResult | string): TemplateResult {
  const isCurrent = app.route().view === route.view;
  return html`<a href="console${formatRoute(route)}" aria-current=${isCurrent ? 'page' : nothing}
    @click=${followLink(app, route)}>${label}</a>`;
}

function describePermissions({ permissions }: Viewer): string {
  const { reads, changes } = splitPermissions(permissions);
  return changes ? `This key may read ${reads}, and change ${changes}.` : `This key may only read ${reads}.`;
}

export function renderLoading(): TemplateResult {
  return html`<p class="loading">Loading…</p>`;
}

export function renderProblem(message: string, retry: () => void): TemplateResult {
  return html`
    <main class="welcome" id="content" tabindex="-1">
      <h1>Carte console</h1>
      <p class="bad" role="alert">${message}</p>
      <button type="button" class="main" @click=${retry}>Try again</button>
    </main>`;
}
