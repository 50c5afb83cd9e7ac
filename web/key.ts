const storageKey = 'carte.key';

/** Reads the API key, which is stored until the tab is closed and never put into a URL; empty if there is none. */
export function readKey(): string {
  return sessionStorage.getItem(storageKey) ?? '';
}

export function saveKey(key: string): void {
  if (key === '') sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, key);
}
