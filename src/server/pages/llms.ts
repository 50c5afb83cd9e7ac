import type { Contract } from '@carte/operations/contract/contract';
import { documentUrl } from './docs.ts';
import { type Group, groupedGuides } from './guides.ts';

/** Renders `/llms.txt` by https://llmstxt.org: what Carte is, for a program that reads before it calls, and what to read on. */
export function renderLlms(sets: readonly Contract[], introspection: boolean): string {
  const sdl = [
    '- [GraphQL schema](schema.graphql): the graph in SDL, with descriptions of all types and fields',
    '- [GraphQL schema for guests](schema.graphql?for=guests): the part that a publishable key may select',
  ];
  const openapi = sets.map(({ name, info }) => {
    const [sentence] = /^.*?\.(?=\s|$)/s.exec(info?.description ?? '') ?? [`The operations of the set ${name}.`];
    return `- [OpenAPI: ${info?.title ?? name}](${documentUrl(name)}.json): ${sentence.replaceAll(/\s+/g, ' ')}`;
  });
  return `# Carte

> Menus, stores, merchants and orders of restaurants: one GraphQL graph for front ends, and REST routes for POS systems, which are named operations over the same graph.

- Every request needs an API key in the header \`x-api-key\`. What is outside its scope does not exist for it.
- GraphQL: \`POST /graphql\` with \`{"query": "…", "variables": {…}}\`. Start at \`stores\`, \`store(id:)\`, \`merchants\` or \`order(id:)\`; a store has its menus, items and orders.
- REST: \`/v1\` reads stores, merchants and orders, and reads and replaces menus; \`/pos/v1\` places and changes orders, stock and prices, and has events.
- Amounts are integers in the smallest unit of the store's currency; those that the graph returns are \`{ amount currency decimal }\`. Times are RFC 3339, and texts are maps by language.
- A menu is replaced as a whole; stock and prices of single items change by mutations and \`/pos/v1\`.
- Errors name every invalid value with its path: in GraphQL \`extensions.code\` and \`extensions.errors\`, in REST \`{"detail": […]}\` with status 422.
- Placing an order takes an idempotency key, so that it can be repeated.
- Changes arrive by webhooks, subscriptions (SSE, WebSocket) and long polling, each with a cursor to go on from.
- Reads have an ETag; limits of cost and rate are in the guides.

## Schemas

${[...(introspection ? sdl : []), ...openapi].join('\n')}

${groupedGuides().map(renderGroup).join('\n\n')}
`;
}

/** The decisions are what a reader in a hurry may skip, which the format calls "Optional". */
const renderGroup = ({ title, guides }: Group) =>
  `## ${title === 'Decisions' ? 'Optional' : title}\n\n${guides
    .map(guide => `- [${guide.title}](guides/${guide.name}.md): ${guide.summary.replaceAll(/\s+/g, ' ')}`)
    .join('\n')}`;
