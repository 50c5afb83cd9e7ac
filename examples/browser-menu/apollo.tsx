import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { ApolloProvider, useQuery } from '@apollo/client/react';
import { headers, Menu, type MenuQuery, query, render, url, variables } from './menu.tsx';

const client = new ApolloClient({ link: new HttpLink({ uri: url, headers }), cache: new InMemoryCache() });
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
