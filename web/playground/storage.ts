import { graphiqlPrefix, headerItems, withoutHeaders } from '../key.ts';

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

const itemNames = () => Object.keys(localStorage).filter(name => name.startsWith(graphiqlPrefix));
