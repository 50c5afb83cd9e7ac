/** Screens of a store, and those beside. */
export const storeViews = ['orders', 'stock', 'menu', 'upload', 'history'] as const;
const views = ['stores', ...storeViews, 'keys', 'webhooks'] as const;
export type View = (typeof views)[number];

/** Where the user is. It is in the URL, so that it can be bookmarked and shared; the API key never is. */
export interface Route {
  readonly view: View;
  readonly store?: string | undefined;
  /** The order whose details are shown. */
  readonly order?: string | undefined;
  /** The revision whose changes are shown. */
  readonly revision?: string | undefined;
  /** The webhook whose deliveries are shown. */
  readonly webhook?: string | undefined;
}

export function parseRoute(search: string): Route {
  const parameters = new URLSearchParams(search);
  const get = (name: string) => parameters.get(name) || undefined;
  const store = get('store');
  const view = views.find(name => name === get('view')) ?? (store ? 'orders' : 'stores');
  const isOfStore = storeViews.some(name => name === view);
  if (isOfStore !== (store !== undefined)) return { view: store ? 'orders' : 'stores', store };
  return { view, store, order: get('order'), revision: get('revision'), webhook: get('webhook') };
}

export function formatRoute(route: Route): string {
  const parameters = new URLSearchParams();
  for (const name of ['store', 'view', 'order', 'revision', 'webhook'] as const) {
    const value = route[name];
    if (value && value !== (route.store ? 'orders' : 'stores')) parameters.set(name, value);
  }
  return parameters.size > 0 ? `?${parameters}` : '';
}
