import type { Row } from '../row.ts';
import { aliased, graphqlRow, httpRow } from './build.ts';

/** Lists of stores and orders. */
export const listRows: readonly Row[] = [
  graphqlRow({ name: 'stores { orders } beyond the object limit', key: 'read' }, () => turn => ({
    // Ten pages of 500 orders of 60 stores: 300,000 objects, and a different filter in each.
    query: `{ stores(first: 60) { nodes { ${aliased(
      10,
      at => `orders(first: 500, filter: { createdFrom: "20${10 + (turn % 10)}-01-${10 + at}" }) { nodes { id } }`,
    )} } } }`,
  })),
  graphqlRow({ name: 'orders by parts of names × 50 at 60 stores', key: 'read' }, () => turn => ({
    query: `{ stores(first: 60) { nodes { ${aliased(
      50,
      at => `orders(first: 1, filter: { customerName: "uest ${at + turn}" }) { totalCount nodes { id } }`,
    )} } } }`,
  })),
  graphqlRow({ name: 'stores(search:) × 50', key: 'read', atOnce: 12, requests: 48 }, () => turn => ({
    query: `{ ${aliased(50, at => `stores(first: 1000, search: "house ${at + turn} li") { totalCount nodes { id name { text } } }`)} }`,
  })),
  ...[8, 100].map(words =>
    graphqlRow(
      { name: `stores(search:) of ${words} words × 5`, key: 'read', atOnce: 12, requests: 48 },
      () => turn => ({
        query: `query q${turn} { ${aliased(5, () => `stores(first: 1, search: "${Array.from({ length: words }, (_, at) => String.fromCodePoint(97 + at)).join(' ')}") { totalCount }`)} }`,
      }),
    ),
  ),
  graphqlRow({ name: '200 cheap queries at once', key: 'read', atOnce: 200, requests: 3_000 }, ({ largeStoreId }) => ({
    query:
      'query ($id: ID!) { store(id: $id) { name { text } ordersRevision orders(first: 10) { nodes { id status } } } }',
    variables: { id: largeStoreId },
  })),
  httpRow({ name: 'GET of 500 orders', key: 'read', atOnce: 24, requests: 240 }, ({ largeStoreId }) => turn => ({
    path: `/v1/stores/${largeStoreId}/orders/?page_size=500&page_index=${turn % 20}`,
  })),
  graphqlRow({ name: 'webhooks without the permission', key: 'write', goal: 'refused' }, () => ({
    query: '{ webhooks(first: 1000) { nodes { id } } }',
  })),
];
