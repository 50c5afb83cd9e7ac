import { getIntrospectionQuery } from 'graphql';
import { seededRandom } from '../../../src/demo/random.ts';
import { documentsOverLimits } from '../../hostile/documents.ts';
import type { Row } from '../row.ts';
import { byEach, graphqlRow, httpRow } from './build.ts';

/** Types of fields of types of fields and so on, so many levels deep. */
const introspectionOf = (levels: number): string =>
  levels === 0 ? 'name' : `name fields { name type { ${introspectionOf(levels - 1)} } }`;

/** Each fragment spreads all that come after it. */
function spreadingFragments(count: number, turn: number): string {
  const fragments = Array.from({ length: count }, (_, at) => {
    const spreads = Array.from({ length: count - at - 1 }, (_, next) => `...f${at + next + 1}`);
    return `fragment f${at} on Store { id ${spreads.join(' ')} }`;
  });
  return `query q${turn}($id: ID!) { store(id: $id) { ...f0 } } ${fragments.join(' ')}`;
}

/** Documents that are expensive to validate, or that nobody needs a key for; by names of their own, so that no cache has their errors. */
export const documentRows: readonly Row[] = [
  ...['/openapi/preview', '/graphql'].map(path =>
    httpRow({ name: `documents over the limits at ${path}`, key: 'read', requests: 48, isShort: true }, () => turn => {
      const documents = documentsOverLimits(seededRandom(String(turn)));
      return { path, body: JSON.stringify({ query: documents[turn % documents.length]?.text }) };
    }),
  ),
  graphqlRow({ name: 'full introspection', atOnce: 4, requests: 48, isShort: true }, () => ({
    query: getIntrospectionQuery(),
  })),
  ...byEach([undefined, 'read'], key =>
    graphqlRow({ name: 'nested introspection', key }, () => turn => ({
      query: `query q${turn} { __schema { types { ${introspectionOf(6)} } } }`,
    })),
  ),
  ...byEach([undefined, 'read'], key =>
    graphqlRow({ name: 'the same field 1,990 times', key, requests: 24 }, ({ largeStoreId }) => turn => ({
      query: `query q${turn}($id: ID!) { store(id: $id) { ${'name '.repeat(1_990)} } }`,
      variables: { id: largeStoreId },
    })),
  ),
  ...byEach([undefined, 'read'], key =>
    graphqlRow(
      { name: '60 fragments that spread each other', key, requests: 24, isShort: !key },
      ({ largeStoreId }) =>
        turn => ({
          query: spreadingFragments(60, turn),
          variables: { id: largeStoreId },
        }),
    ),
  ),
  ...byEach([undefined, 'read'], key =>
    graphqlRow({ name: '90 failing fields after 200,000 newlines', key }, ({ largeStoreId }) => turn => ({
      query: `query q${turn}($id: ID!) { store(id: $id) {${'\n'.repeat(200_000)}${Array.from(
        { length: 90 },
        (_, at) => `a${at}: menuConfigurationAt(revision: ${1_000_000_000 + at}) { revision }`,
      ).join('\n')} } }`,
      variables: { id: largeStoreId },
    })),
  ),
];
