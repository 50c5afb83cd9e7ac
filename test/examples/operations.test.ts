import { ApolloClient, gql, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client/core';
import { expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { startApp } from '../support/app.ts';
import { exampleSet } from '../support/operations.ts';

const app = await startApp({ operations: [exampleSet] });
const headers = { 'x-api-key': await loadDemo(app.orm) };

test('Apollo Client calls an operation by its name', async () => {
  const link = new HttpLink({
    uri: `${app.url}/graphql`,
    headers,
    fetch: (url, options) => {
      const { operationName, variables } = JSON.parse(String(options?.body));
      return fetch(url, { ...options, body: JSON.stringify({ documentId: operationName, variables }) });
    },
  });
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  interface Hours {
    readonly store: { readonly menus: readonly { readonly menu: string }[] };
  }
  const query: TypedDocumentNode<Hours> = gql`query getOpeningHours($store_id: ID!) { store(id: $store_id) { menus { menu: externalId } } }`;
  const { data } = await client.query({ query, variables: { store_id: 'lisbon-baixa' } });
  expect(data?.store.menus[0]).toHaveProperty('menu');
});
