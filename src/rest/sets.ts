import { fileURLToPath } from 'node:url';
import { readBuiltIn, readOperatorSets, type SetFiles } from '@carte/operations/contract/folders';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folders of the sets that come with Carte, by name, with files that they share with others. */
const folders = {
  v1: ['schema/rest'],
  pos: ['schema/pos'],
  webhooks: ['schema/webhooks', 'schema/rest/orders.types.graphql', 'schema/pos/order-details.graphql'],
} as const;

export function readBuiltInSets(): SetFiles[] {
  return Object.entries(folders).map(([name, paths]) => readBuiltIn(name, root, paths));
}

export const readV1 = (): SetFiles => readBuiltIn('v1', root, folders.v1);

/** The messages of webhooks that name no operation. */
export const readMessages = (): SetFiles => readBuiltIn('webhooks', root, folders.webhooks);

/** Reads the folders of `CARTE_OPERATIONS`, none of which has the name of a set that comes with Carte. */
export const readOwnSets = (own: readonly string[]): SetFiles[] => readOperatorSets(own, Object.keys(folders));

/** The first segments of the paths that Carte serves, or may serve one day. */
const reserved = new Set([
  ...['v1', 'pos', 'graphql', 'mcp', 'schema.graphql', 'docs', 'guides', 'menu', 'console', 'web', 'health', 'metrics'],
  ...['carte', 'favicon.ico', 'llms.txt'],
]);

export const isReserved = (firstSegment: string): boolean =>
  reserved.has(firstSegment) || firstSegment.startsWith('openapi');
