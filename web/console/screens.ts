import { html } from 'lit-html';
import { KeyRejected, RequestError } from '../errors.ts';
import type { App, Screen } from './app.ts';
import type { OrderWatch } from './orders/watch.ts';
import type { Route } from './route.ts';
import { loadStore, type StoreContext } from './session.ts';
import { homeOf, isAllowed } from './shell.ts';

type Create = (app: App) => Screen;
type CreateInStore = (app: App, store: StoreContext, watch: OrderWatch | undefined) => Screen;

/** The screens, each of which is loaded when it is first opened. */
async function loadScreen(app: App, { view, store: storeId }: Route): Promise<Create> {
  switch (view) {
    case 'stores':
      return (await import('./stores/stores.ts')).createStores;
    case 'keys':
      return (await import('./keys/keys.ts')).createKeys;
    case 'webhooks':
      return (await import('./webhooks/webhooks.ts')).createWebhooks;
    case 'orders':
      return inStore(app, storeId, import('./orders/orders.ts'), ({ createOrders }) => {
        return (shownApp, store, watch) => {
          if (!watch) throw new Error('The key may not read orders');
          return createOrders(shownApp, store, watch);
        };
      });
    case 'stock':
      return inStore(app, storeId, import('./stock/stock.ts'), ({ createStock }) => createStock);
    case 'menu':
      return inStore(app, storeId, import('./menu/menu.ts'), ({ createMenu }) => createMenu);
    case 'upload':
      return inStore(app, storeId, import('./menu/upload.ts'), ({ createUpload }) => createUpload);
    case 'history':
      return inStore(app, storeId, import('./menu/history.ts'), ({ createHistory }) => createHistory);
  }
}

/** Loads the store while the screen is loaded; it is followed in all of its screens. */
async function inStore<Module>(
  app: App,
  storeId: string | undefined,
  module: Promise<Module>,
  select: (module: Module) => CreateInStore,
): Promise<Create> {
  const loading = [loadStore(storeId ?? '', app), module, import('./orders/watch.ts')] as const;
  const [store, loaded, orders] = await Promise.all(loading);
  return () => select(loaded)(app, store, app.follow(store, orders.followStore));
}

/** Opens the screen of the current route. */
export function openScreen(app: App): Screen {
  const route = app.route();
  let screen: Screen | undefined;
  let problem: string | undefined;
  let isClosed = false;
  if (isAllowed(app, route.view)) open();
  else queueMicrotask(() => app.navigate(homeOf(app), { replace: true }));

  async function open(): Promise<void> {
    problem = undefined;
    try {
      const create = await loadScreen(app, route);
      if (!isClosed) screen = create(app);
    } catch (error) {
      if (isClosed) return;
      if (error instanceof KeyRejected) return app.fail(error);
      problem = error instanceof RequestError ? error.message : 'This view cannot be loaded: is there a network?';
    }
    app.update();
  }

  return {
    title: () => screen?.title() ?? route.store ?? '',
    view: () =>
      screen?.view() ?? (problem === undefined ? html`<p class="loading">Loading…</p>` : renderRetry(problem)),
    onRoute: () => screen?.onRoute?.(),
    close() {
      isClosed = true;
      screen?.close?.();
    },
  };

  function renderRetry(message: string) {
    return html`<div class="page"><p class="bad">${message}</p><button type="button" @click=${open}>Try again</button></div>`;
  }
}
