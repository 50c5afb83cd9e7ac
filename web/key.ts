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

/** Removes the keys that Swagger UI and GraphiQL stored beyond the tab in earlier versions. */
export function removeOldCopies(): void {
  localStorage.removeItem('authorized');
  localStorage.removeItem('graphiql:headers');
  const tabs = localStorage.getItem('graphiql:tabState');
  if (!tabs?.includes('x-api-key')) return;
  try {
    localStorage.setItem('graphiql:tabState', withoutHeaders(tabs));
  } catch {
    // Not JSON: GraphiQL could not read it either.
    localStorage.removeItem('graphiql:tabState');
  }
}

/** The tabs of GraphiQL keep their queries. */
function withoutHeaders(tabState: string): string {
  return JSON.stringify(JSON.parse(tabState), (name, value) => (name === 'headers' ? null : value));
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
