import { find } from '../../element.ts';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
}

interface Route {
  readonly parameters?: readonly { readonly name: string; example?: unknown }[];
}

const none: ReadonlyMap<string, string> = new Map();

/**
 * Loads the OpenAPI document. With a key, reads get identifiers of its own scope as examples, so that they can be tried as
 * they are; a write does not, since one click would replace a menu.
 */
export async function loadDocument(root: URL, key: string): Promise<OpenApi> {
  const [document, identifiers] = await Promise.all([
    getJson<OpenApi>(find('link[rel=describedby]', HTMLLinkElement).href),
    key === '' ? none : findIdentifiers(root, { 'x-api-key': key }).catch(() => none),
  ]);
  const parameters = Object.values(document.paths).flatMap(({ get }) => get?.parameters ?? []);
  for (const parameter of parameters) parameter.example = identifiers.get(parameter.name) ?? parameter.example;
  return document;
}

interface Identified {
  readonly id: string;
}

/** Finds the first store and merchant, and the newest order of that store, by the name of the parameter. */
async function findIdentifiers(
  root: URL,
  headers: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const get = <Body>(path: string) => getJson<Body>(new URL(path, root), headers);
  const [[store], [merchant]] = await Promise.all([
    get<readonly Identified[]>('v1/stores/?limit=1'),
    get<readonly Identified[]>('v1/merchants/?limit=1'),
  ]);
  const path = store && `v1/stores/${encodeURIComponent(store.id)}/orders/?page_size=1`;
  const orders = path ? (await get<{ order_result_list: Identified[] }>(path)).order_result_list : [];
  const found = { store_service_id: store, merchant_service_id: merchant, order_service_id: orders[0] };
  return new Map(Object.entries(found).flatMap(([name, resource]) => (resource ? [[name, resource.id]] : [])));
}

async function getJson<Body>(url: string | URL, headers: Readonly<Record<string, string>> = {}): Promise<Body> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} is ${response.status}`);
  return response.json();
}
