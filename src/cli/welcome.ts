import { bold } from './terminal.ts';

/** Formats what the first start prints: the demo key and commands to try it with. */
export function welcome(url: string, key: string): string {
  const query = '{ store(id: \\"lisbon-baixa\\") { name menus { categories { items { price } } } } }';
  return `
${bold('Demo restaurants are loaded. Your API key, shown only this once:')}

  ${key}

${bold('REST')}
  curl -H 'x-api-key: ${key}' ${url}/v1/stores/lisbon-baixa

${bold('GraphQL')}
  curl -H 'x-api-key: ${key}' -H 'content-type: application/json' \\
    -d '{"query": "${query}"}' ${url}/graphql

${pages(url)}
`;
}

/** Formats what every later start prints: the pages, and how to get a key. */
export function welcomeBack(url: string): string {
  return `
${pages(url)}

${bold('An API key, if you have none or lost it')}
  npm run --silent carte -- key create --name NAME --all --write
`;
}

function pages(url: string): string {
  return `${bold('In a browser')}
  ${url}/          overview of all pages
  ${url}/console   orders, stock, menus and keys
  ${url}/graphql   the playground
  ${url}/docs      the REST reference
  ${url}/menu      a store's menu as guests see it
  ${url}/guides    the guides`;
}
