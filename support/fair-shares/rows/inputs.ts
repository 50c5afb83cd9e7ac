import type { Row } from '../row.ts';
import { byEach, graphqlRow, scaled } from './build.ts';

const languages = 'query ($id: ID!, $l: [String!]!) { store(id: $id) { items { name { text(languages: $l) } } } }';
const replace =
  'mutation ($input: ReplaceMenuConfigurationInput!) { replaceMenuConfiguration(input: $input) { store { id } } }';

/** An item with three values of wrong types. */
const wrongItem = {
  externalId: 'an item of the house',
  name: 17,
  price: 'a string',
  tax: 12,
  sellSeparately: 'yes',
};

/** Variables and documents whose every part is an error. */
export const inputRows: readonly Row[] = [
  ...[20_000, 100_000].flatMap(count =>
    byEach([undefined, 'read'], key =>
      graphqlRow(
        { name: `list variable with ${count / 1_000},000 wrong values`, key, isShort: count === 100_000 && !key },
        target => ({
          query: languages,
          variables: { id: target.largeStoreId, l: new Array(scaled(count, target)).fill(0) },
        }),
      ),
    ),
  ),
  ...byEach([undefined, 'write'], key =>
    graphqlRow({ name: 'ReplaceMenuConfigurationInput with 200,000 wrong items', key, isShort: true }, target => ({
      query: replace,
      variables: { input: { storeId: target.largeStoreId, items: new Array(scaled(200_000, target)).fill(0) } },
    })),
  ),
  ...byEach([undefined, 'write'], key =>
    graphqlRow({ name: '60,000 items with three wrong types', key }, target => ({
      query: replace,
      variables: { input: { storeId: target.largeStoreId, items: new Array(scaled(60_000, target)).fill(wrongItem) } },
    })),
  ),
  ...byEach([undefined, 'read'], key =>
    graphqlRow({ name: '250,000 newlines, then 99 unknown fields', key, isShort: !key }, () => turn => ({
      // A name of its own for each, so that no cache has its errors.
      query: `query q${turn} { viewer {${'\n'.repeat(250_000)}${Array.from({ length: 99 }, (_, at) => `unknown${at}`).join(' ')} } }`,
    })),
  ),
];
