import type { Row } from '../row.ts';
import { readStream } from '../streams.ts';
import { rowOf } from './build.ts';

const streamMs = 8_000;

const withMenu = `subscription ($id: ID!, $after: String) {
  orderEvents(storeId: $id, after: $after) {
    cursor
    order { id store { items { externalId price name { text } } } }
  }
}`;

/** Streams that read the log from its start. */
export const streamRows: readonly Row[] = [
  rowOf({ name: '20 streams from the first cursor with a menu', key: 'read', atOnce: 20, requests: 20 }, target => {
    const variables = { id: target.largeStoreId, after: target.firstCursor };
    return () => readStream(target.url, { key: target.keys.read, query: withMenu, variables, limitMs: streamMs });
  }),
];
