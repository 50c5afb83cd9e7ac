import type { HttpRequest } from '../request.ts';
import type { Row, Target } from '../row.ts';
import { byEach, httpRow, scaled } from './build.ts';

const megabyte = 1024 ** 2;

/** Arrays in arrays, 4.9 million levels deep: 9.8 MB. */
function nestedList(target: Target): string {
  const depth = scaled(4_900_000, target);
  return '['.repeat(depth) + ']'.repeat(depth);
}

/** Different keys of escaped characters, which a parser has to decode one by one: 10 MB. */
function escapedKeys(target: Target): string {
  const length = scaled(9.8 * megabyte, target);
  const entries: string[] = [];
  for (let [size, at] = [0, 0]; size < length; at++) {
    const digits = String(at).padStart(7, '0');
    const entry = `"${[...digits].map(digit => `\\u003${digit}`).join('')}":0`;
    size += entry.length + 1;
    entries.push(entry);
  }
  return `{${entries.join(',')}}`;
}

const toGraphql = (value: string) => (_target: Target) => ({
  path: '/graphql',
  body: Buffer.from(`{"query":"{ __typename }","variables":{"v":${value}}}`),
});
const toMenu = (value: string) => (target: Target) => ({
  path: `/v1/stores/${target.largeStoreId}/menu_configuration/`,
  body: Buffer.from(`{"items":[],"v":${value}}`),
});

const values = [
  ['nesting 4.9 million deep', nestedList],
  ['10 MB of escaped keys', escapedKeys],
] as const;

const routes: readonly (readonly [string, (value: string) => (target: Target) => HttpRequest])[] = [
  ['POST /graphql', toGraphql],
  ['POST menu_configuration', toMenu],
];

/** Bodies that are hard to parse. */
export const bodyRows: readonly Row[] = values.flatMap(([name, make]) =>
  routes.flatMap(([route, send]) =>
    byEach([undefined, 'unknown', 'write'], key =>
      httpRow({ name: `${name}, ${route}`, key, isShort: route === 'POST /graphql' && key !== 'unknown' }, target =>
        send(make(target))(target),
      ),
    ),
  ),
);
