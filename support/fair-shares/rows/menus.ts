import type { Row } from '../row.ts';
import { aliased, graphqlRow, httpRow } from './build.ts';

const wholeTree = (alias: string) => `${alias}: menus {
  externalId
  categories { externalId items { externalId price modifierGroups { externalId modifierItems { externalId priceChange } } } }
}`;

/** The current configuration of the largest menu, in responses that no cache has, and its replacement. */
export const menuRows: readonly Row[] = [
  graphqlRow(
    { name: '12 at once: the whole tree, not cached', key: 'read', atOnce: 12, goal: 'allowed' },
    target => turn => ({
      query: `query ($id: ID!) { store(id: $id) { ${wholeTree(`a${turn}`)} } }`,
      variables: { id: target.largeStoreId },
    }),
  ),
  graphqlRow(
    { name: '12 at once: menuDiagnostics × 40, not cached', key: 'read', atOnce: 12, requests: 24 },
    target => turn => ({
      query: `query ($id: ID!) { store(id: $id) { t${turn}: id ${aliased(40, () => 'menuDiagnostics { message }')} } }`,
      variables: { id: target.largeStoreId },
    }),
  ),
  // Half of the objects that a response may have.
  graphqlRow({ name: 'all items × 12, not cached', key: 'read', requests: 8, goal: 'allowed' }, target => turn => ({
    query: `query ($id: ID!) { store(id: $id) { t${turn}: id ${aliased(12, () => 'items { externalId price }')} } }`,
    variables: { id: target.largeStoreId },
  })),
  httpRow({ name: '12 at once: POST of the largest menu', key: 'write', atOnce: 12, goal: 'allowed' }, target => {
    const path = `/v1/stores/${target.largeStoreId}/menu_configuration/`;
    const [start, end] = target.menuBody.split('House item-0"');
    return turn => ({ path, body: `${start}House item ${turn}"${end}` });
  }),
  graphqlRow({ name: 'setStock × 50 at the largest menu', key: 'write', requests: 8 }, target => turn => ({
    query: `mutation ($id: ID!) { ${aliased(
      50,
      at =>
        `setStock(input: { storeId: $id, items: [{ externalId: "item-${200 + at}", inStock: ${turn % 2 === 1} }] }) { revision }`,
    )} }`,
    variables: { id: target.largeStoreId },
  })),
];
