import { bold } from './terminal.ts';

/** What the first start prints: a key and calls to copy. */
export function welcome(url: string, key: string): string {
  const query = '{ store(id: \\"lisbon-baixa\\") { name menus { categories { items { price } } } } }';
  return `
${bold('A demo group of restaurants is loaded. Your key, shown this once:')}

  ${key}

${bold('REST')}
  curl -H 'x-api-key: ${key}' ${url}/v1/stores/lisbon-baixa

${bold('GraphQL')}
  curl -H 'x-api-key: ${key}' -H 'content-type: application/json' \\
    -d '{"query": "${query}"}' ${url}/graphql

${bold('In a browser')}
  ${url}/          where everything is
  ${url}/graphql   the playground
  ${url}/docs      the REST documentation
  ${url}/menu      a store's menu as a guest sees it
`;
}
