import type { Row } from '../row.ts';
import { aliased, graphqlRow } from './build.ts';

/** Lists of stores and orders. */
export const listRows: readonly Row[] = [
  graphqlRow({ name: 'stores { orders } beyond the object limit', key: 'read' }, () => turn => ({
    // Ten pages of 500 orders of 60 stores: 300,000 objects, and a different filter in each.
    query: `{ stores(first: 60) { nodes { ${aliased(
      10,
      at => `orders(pageSize: 500, filter: { startTime: "20${10 + (turn % 10)}-01-${10 + at}" }) { nodes { id } }`,
    )} } } }`,
  })),
];
