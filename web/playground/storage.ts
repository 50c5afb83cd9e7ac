/** Names of GraphiQL's items in `localStorage`, where it keeps tabs, history and sizes of panes. */
const prefix = 'graphiql:';
const headerItems = [`${prefix}headers`, `${prefix}shouldPersistHeaders`];

/**
 * `localStorage` for GraphiQL, without headers: it would store those of tabs and history, and with them the API key, which must
 * not outlive the browser's tab.
 */
export const storage = {
  getItem: (name: string) => localStorage.getItem(name),
  setItem(name: string, value: string): void {
    if (!headerItems.includes(name)) localStorage.setItem(name, withoutHeaders(value));
  },
  removeItem: (name: string) => localStorage.removeItem(name),
  clear(): void {
    for (const name of itemNames()) localStorage.removeItem(name);
  },
  get length() {
    return itemNames().length;
  },
};

/** Removes the headers that earlier versions stored. */
export function removeStoredHeaders(): void {
  for (const name of headerItems) localStorage.removeItem(name);
  for (const name of itemNames()) storage.setItem(name, localStorage.getItem(name) ?? '');
}

const itemNames = () => Object.keys(localStorage).filter(name => name.startsWith(prefix));

function withoutHeaders(value: string): string {
  if (!value.includes('"headers"')) return value;
  return JSON.stringify(JSON.parse(value, (name, member) => (name === 'headers' ? null : member)));
}
