import type { Outcome } from './fuzz.ts';
import { menuPath, type Target } from './probe.ts';

/** Responses to valid requests, by request. */
export type State = ReadonlyMap<string, string>;

/** Reads everything that the hostile requests addressed. */
export async function observe(url: string, target: Target): Promise<State> {
  const state = new Map<string, string>();
  const headers = { 'x-api-key': target.keys.read, 'content-type': 'application/json' };
  const store = `/v1/stores/${target.storeId}`;
  const other = `/v1/stores/${target.otherStoreId}`;
  for (const path of [
    '/v1/stores/',
    '/v1/merchants/',
    store,
    menuPath(target),
    `${store}/orders/`,
    `/v1/orders/${target.orderId}`,
    `/v1/merchants/${target.merchantId}`,
    `${other}/menu_configuration/`,
    `${other}/menu_configuration/flat`,
    '/openapi.json',
    '/health/live',
  ]) {
    const response = await fetch(url + path, { headers });
    state.set(path, `${response.status} ${await response.text()}`);
  }
  const query =
    '{ stores { nodes { id name { text } timezone merchant { id } orders(first: 1) { totalCount nodes { id } } } } __schema { types { name } } }';
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  state.set('/graphql', `${response.status} ${await response.text()}`);
  return state;
}

/** Returns the responses that changed although no valid request changed the data. */
export function differences(before: State, after: State, target: Target, stored: Outcome['stored']): string[] {
  return [...before].flatMap(([path, text]) => {
    const isMenu = path === menuPath(target);
    if (isMenu && stored && stored.tree === undefined) return [];
    const expected = isMenu && stored ? `200 ${stored.tree}` : text;
    const found = after.get(path) ?? '';
    return found === expected
      ? []
      : [`afterwards ${path} answers ${found.slice(0, 150)} instead of ${expected.slice(0, 150)}`];
  });
}
