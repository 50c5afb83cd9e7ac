import { ApolloClient, gql, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client/core';
import createClient from 'openapi-fetch';
import { expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { startApp } from '../support/app.ts';
import { exampleSet } from '../support/operations.ts';

const app = await startApp({ operations: [exampleSet] });
const headers = { 'x-api-key': await loadDemo(app.orm) };

/** The types that openapi-typescript would generate for these routes. */
interface Paths {
  '/kitchen/stores/{store_id}/orders': {
    get: {
      parameters: { path: { store_id: string }; query: { limit: number; status: string[] } };
      responses: { 200: { content: { 'application/json': { id: string; printed: boolean }[] } } };
    };
  };
  '/kitchen/orders/printed': {
    post: {
      requestBody: { content: { 'application/json': { order_ids: string[] } } };
      responses: { 200: { content: { 'application/json': { id: string; printed: boolean }[] } } };
    };
  };
}

test('openapi-fetch lists orders and marks them', async () => {
  const client = createClient<Paths>({ baseUrl: app.url, headers });
  const { data: orders = [] } = await client.GET('/kitchen/stores/{store_id}/orders', {
    params: { path: { store_id: 'lisbon-baixa' }, query: { limit: 2, status: ['ACCEPTED', 'READY', 'FULFILLED'] } },
  });
  expect(orders).toHaveLength(2);
  const { data } = await client.POST('/kitchen/orders/printed', { body: { order_ids: orders.map(({ id }) => id) } });
  expect(data).toEqual(orders.map(({ id }) => ({ id, printed: true })));
});

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
