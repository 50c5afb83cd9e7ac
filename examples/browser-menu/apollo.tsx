import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { ApolloProvider, useQuery } from '@apollo/client/react';
import { fetchOptions, Menu, type MenuQuery, query, render, url, variables } from './menu.tsx';

// Its default content type, of JSON, would need a preflight.
const headers = { 'content-type': 'text/plain' };
const link = new HttpLink({ uri: url, useGETForQueries: true, headers, fetchOptions });
const client = new ApolloClient({ link, cache: new InMemoryCache() });
const menuDocument = gql(query);

function Page() {
  const { data, error, refetch } = useQuery<MenuQuery>(menuDocument, { variables });
  return <Menu data={data} error={error} refresh={() => refetch().catch(() => {})} />;
}

render(
  <ApolloProvider client={client}>
    <Page />
  </ApolloProvider>,
);
