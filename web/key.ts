const storageKey = 'carte.key';

/** Reads the API key, which is stored until the tab is closed and never put into a URL; empty if there is none. */
export function readKey(): string {
  return sessionStorage.getItem(storageKey) ?? '';
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

/** Removes the keys that Swagger UI and GraphiQL stored beyond the tab before 0.2.0. */
export function removeOldCopies(): void {
  localStorage.removeItem('authorized');
  localStorage.removeItem('graphiql:headers');
  const stored = localStorage.getItem('graphiql:tabState');
  if (stored?.includes('x-api-key')) localStorage.setItem('graphiql:tabState', withoutHeaders(stored));
}

/** The tabs of GraphiQL keep their queries. */
function withoutHeaders(tabState: string): string {
  return JSON.stringify(JSON.parse(tabState), (name, value) => (name === 'headers' ? null : value));
}
