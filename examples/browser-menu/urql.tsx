import { Client, cacheExchange, fetchExchange, Provider, useQuery } from 'urql';
import { fetchOptions, Menu, type MenuQuery, query, render, url, variables } from './menu.tsx';

const client = new Client({ url, preferGetMethod: 'force', fetchOptions, exchanges: [cacheExchange, fetchExchange] });

function Page() {
  const [{ data, error }, refetch] = useQuery<MenuQuery>({ query, variables });
  return <Menu data={data} error={error} refresh={() => refetch({ requestPolicy: 'network-only' })} />;
}

render(
  <Provider value={client}>
    <Page />
  </Provider>,
);
