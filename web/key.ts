const storageKey = 'carte.key';

/** Reads the API key, which is stored until the tab is closed and never put into a URL; empty if there is none. */
export function readKey(): string {
  return sessionStorage.getItem(storageKey) ?? '';
}

/** Whether the key may be in a URL: it starts as those do that are issued for web pages. */
export function isPublishable(key: string): boolean {
  return key.startsWith('carte_pub_');
}

/** Stores the key; an empty one is forgotten, together with the copies that pages of earlier versions have left. */
export function saveKey(key: string): void {
  if (key !== '') {
    sessionStorage.setItem(storageKey, key);
  } else {
    sessionStorage.removeItem(storageKey);
    removeOldCopies();
  }
}

/**
 * Takes a key out of the fragment of the address, where the link is that a first start prints: browsers send no fragments. A tab that has a key
 * keeps it, so that no link can exchange it.
 */
export function takeKeyOfAddress(): void {
  const [, key] = /^#key=([\w-]+)$/.exec(location.hash) ?? [];
  if (key === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (readKey() === '') saveKey(key);
}

/** Removes the keys that Swagger UI and GraphiQL stored beyond the tab in earlier versions. */
export function removeOldCopies(): void {
  localStorage.removeItem('authorized');
  for (const name of headerItems) localStorage.removeItem(name);
  for (const name of Object.keys(localStorage).filter(item => item.startsWith(graphiqlPrefix))) {
    try {
      localStorage.setItem(name, withoutHeaders(localStorage.getItem(name) ?? ''));
    } catch {
      // Not JSON: GraphiQL could not read it either.
      localStorage.removeItem(name);
    }
  }
}

/** Names of GraphiQL's items in `localStorage`, where it stores tabs, history and sizes of panes. */
export const graphiqlPrefix = 'graphiql:';
export const headerItems = [`${graphiqlPrefix}headers`, `${graphiqlPrefix}shouldPersistHeaders`];

/** Leaves the headers out of tabs and history, which keep their queries. */
export function withoutHeaders(value: string): string {
  if (!value.includes('"headers"')) return value;
  return JSON.stringify(JSON.parse(value, (name, member) => (name === 'headers' ? null : member)));
}

/** Reloads a page that comes from the back/forward cache if another page has replaced or forgotten the key since. */
export function reloadIfKeyChanged(): void {
  let key = readKey();
  addEventListener('pagehide', () => {
    key = readKey();
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && readKey() !== key) location.reload();
  });
}
