import { find } from '../element.ts';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
}

interface Route {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  description?: string;
}

/** An operation as the playground opens it. */
interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name: string;
  example?: unknown;
}

const none: ReadonlyMap<string, string> = new Map();

/**
 * Loads the OpenAPI document. With a key, reads get identifiers of its own scope as examples, so that they can be tried as
 * they are; a write does not, since one click would replace a menu.
 */
export async function loadDocument(key: string): Promise<OpenApi> {
  const { href } = find('link[rel=describedby]', HTMLLinkElement);
  const operationsUrl = `openapi/${/openapi\/(.+)\.json$/.exec(href)?.[1] ?? 'v1'}.operations.json`;
  const [document, operations, identifiers] = await Promise.all([
    getJson<OpenApi>(href),
    getJson<Readonly<Record<string, Operation>>>(operationsUrl),
    key === '' ? none : findIdentifiers({ 'x-api-key': key }).catch(() => none),
  ]);
  for (const route of Object.values(document.paths).flatMap(methods => Object.values(methods))) {
    const operation = operations[route.operationId];
    if (operation)
      route.description = `${route.description ?? ''}\n\n[Open in playground](${playgroundUrl(operation)})`;
  }
  const parameters = Object.values(document.paths).flatMap(({ get }) => get?.parameters ?? []);
  for (const parameter of parameters) parameter.example = identifiers.get(parameter.name) ?? parameter.example;
  return document;
}

function playgroundUrl({ query, variables }: Operation): string {
  const url = new URL('graphql', location.href);
  url.hash = new URLSearchParams({ query, variables: JSON.stringify(variables, null, 2) }).toString();
  return url.href;
}

interface Identified {
  readonly id: string;
}

/** Finds the first store and merchant, and the newest order of that store, by the name of the parameter. */
async function findIdentifiers(headers: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, string>> {
  const [[store], [merchant]] = await Promise.all([
    getJson<readonly Identified[]>('v1/stores/?limit=1', headers),
    getJson<readonly Identified[]>('v1/merchants/?limit=1', headers),
  ]);
  const url = store && `v1/stores/${encodeURIComponent(store.id)}/orders/?page_size=1`;
  const orders = url ? (await getJson<{ order_result_list: Identified[] }>(url, headers)).order_result_list : [];
  const found = { store_service_id: store, merchant_service_id: merchant, order_service_id: orders[0] };
  return new Map(Object.entries(found).flatMap(([name, resource]) => (resource ? [[name, resource.id]] : [])));
}

async function getJson<Body>(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Body> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} is ${response.status}`);
  return response.json();
}
