const place = 'carte.key';

/** The key that was typed in, kept until the tab is closed and never put into an address; empty when there is none. */
export function readKey(): string {
  return sessionStorage.getItem(place) ?? '';
}

export function rememberKey(key: string): void {
  if (key === '') sessionStorage.removeItem(place);
  else sessionStorage.setItem(place, key);
}
