import type { Row } from '../row.ts';
import { readStream } from '../streams.ts';
import { rowOf } from './build.ts';

const streamMs = 8_000;

const ordersWithMenu = `subscription ($id: ID!, $after: String) {
  orderEvents(storeId: $id, after: $after) {
    cursor
    order { id store { items { externalId price { amount } name { text } } } }
  }
}`;

const menusWithDiagnostics = `subscription ($id: ID!, $after: String) {
  menuEvents(storeId: $id, after: $after) { cursor menuRevision store { menuDiagnostics { message } } }
}`;

const ordersOnly = `subscription ($id: ID!, $after: String) {
  orderEvents(storeId: $id, after: $after) { cursor kind order { id status customer { name } } }
}`;

/** Streams that read the log from its start. */
export const streamRows: readonly Row[] = [
  ['with a menu', ordersWithMenu] as const,
  ['with diagnostics', menusWithDiagnostics] as const,
  ['with the orders alone', ordersOnly] as const,
].map(([name, query]) =>
  rowOf({ name: `20 streams from the first cursor ${name}`, key: 'read', atOnce: 20, requests: 20 }, target => {
    const after = query === menusWithDiagnostics ? target.firstMenuCursor : target.firstCursor;
    const variables = { id: target.largeStoreId, after };
    return () => readStream(target.url, { key: target.keys.read, query, variables, limitMs: streamMs });
  }),
);
