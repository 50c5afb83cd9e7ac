import type { HttpRequest } from '../request.ts';
import type { Row, Target } from '../row.ts';
import { byEach, httpRow, scaled } from './build.ts';

const megabyte = 1024 ** 2;

/** Arrays in arrays, 4.9 million levels deep: 9.8 MB. */
function nestedList(target: Target): string {
  const depth = scaled(4_900_000, target);
  return '['.repeat(depth) + ']'.repeat(depth);
}

/** Different keys that start with an escaped character, as many as possible in 10 MB: each costs the parser a new string. */
function escapedKeys(target: Target): string {
  const length = scaled(9.8 * megabyte, target);
  const entries: string[] = [];
  for (let size = 0; size < length; size += (entries.at(-1)?.length ?? 0) + 1) {
    entries.push(`"\\n${entries.length.toString(36)}":0`);
  }
  return `{${entries.join(',')}}`;
}

const longNumbers = (target: Target) => `[${`0.${'123456789'.repeat(110)},`.repeat(scaled(9_800, target))}0]`;
const emptyObjects = (target: Target) => `[${'{},'.repeat(scaled(3_200_000, target))}{}]`;

type Route = readonly [name: string, send: (value: string, target: Target) => HttpRequest];

const graphqlRoute: Route = [
  'POST /graphql',
  value => ({ path: '/graphql', body: Buffer.from(`{"query":"{ __typename }","variables":{"v":${value}}}`) }),
];
const menuRoute: Route = [
  'POST menu_configuration',
  // Not the large store: unknown fields are ignored, so a valid body replaces its menu.
  (value, { storeIds }) => ({
    path: `/v1/stores/${storeIds.at(-1)}/menu_configuration/`,
    body: Buffer.from(`{"items":[],"v":${value}}`),
  }),
];

const shapes = [
  ['nesting 4.9 million deep', nestedList, [graphqlRoute, menuRoute]],
  ['10 MB of escaped keys', escapedKeys, [graphqlRoute, menuRoute]],
  ['10 MB of long numbers', longNumbers, [graphqlRoute]],
  ['3.2 million empty objects', emptyObjects, [menuRoute]],
] as const;

/** Bodies that are hard to parse. */
export const bodyRows: readonly Row[] = shapes.flatMap(([name, make, routes]) =>
  routes.flatMap(([route, send]) =>
    byEach([undefined, 'unknown', 'write'], key =>
      httpRow(
        { name: `${name}, ${route}`, key, isShort: make === nestedList && !key && route === 'POST /graphql' },
        target => send(make(target), target),
      ),
    ),
  ),
);
