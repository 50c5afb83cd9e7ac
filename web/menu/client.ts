import type {
  DiagnosticsQuery,
  DiagnosticsQueryVariables,
  GuestMenuQuery,
  LanguagesQuery,
  LanguagesQueryVariables,
  MenuQuery,
  MenuQueryVariables,
  OpeningsQuery,
  OpeningsQueryVariables,
  StoreDetailsQuery,
  StoreDetailsQueryVariables,
  StoresQuery,
  StoresQueryVariables,
} from '../../src/generated/web.ts';
import { isPublishable } from '../key.ts';

export type Store = StoresQuery['stores']['nodes'][number];
export type StoreDetails = NonNullable<StoreDetailsQuery['store']>;
export type MenuCard = NonNullable<MenuQuery['store']>;
export type Menu = MenuCard['menus'][number];
export type Category = Menu['categories'][number];
export type Diagnostic = NonNullable<DiagnosticsQuery['store']>['menuDiagnostics'][number];

export const fetchStores = operation<StoresQuery, StoresQueryVariables>('stores.graphql');
export const fetchStoreDetails = operation<StoreDetailsQuery, StoreDetailsQueryVariables>('store.graphql');
export const fetchLanguages = operation<LanguagesQuery, LanguagesQueryVariables>('languages.graphql');
const fetchMenu = operation<MenuQuery | GuestMenuQuery, MenuQueryVariables>('menu.graphql');
export const fetchOpenings = operation<OpeningsQuery, OpeningsQueryVariables>('openings.graphql');
export const fetchDiagnostics = operation<DiagnosticsQuery, DiagnosticsQueryVariables>('diagnostics.graphql');

/** Fetches the menus, with the modifier groups that their items have. */
export async function fetchMenuCard(variables: MenuQueryVariables, options: RequestOptions): Promise<MenuCard | null> {
  const operationName = isPublishable(options.key) ? 'GuestMenu' : 'Menu';
  const { store } = await fetchMenu(variables, { ...options, operationName });
  if (!store || 'modifierGroups' in store) return store;
  const items = store.menus.flatMap(({ categories }) => categories).flatMap(category => category.items);
  return { ...store, modifierGroups: items.flatMap(({ modifierGroups }) => modifierGroups) };
}

/** An error whose message is shown to the reader. */
export class UserError extends Error {}

/** The API key is malformed or rejected. */
export class KeyError extends UserError {}

/** A network or server error; a retry may succeed. */
export class RetryableError extends UserError {}

export interface RequestOptions {
  readonly key: string;
  readonly signal: AbortSignal;
  /** In a file with several operations. */
  readonly operationName?: string;
}

interface GraphqlResponse<Result> {
  readonly data?: Result | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** Creates a function that executes the operation in a file of this folder, with the types that codegen generates. */
function operation<Result, Variables>(file: string) {
  // Fetched ahead; an error is reported, and the file fetched again, when it is needed.
  let document: Promise<string | undefined> = fetchDocument(file).catch(() => undefined);
  return async (variables: Variables, options: RequestOptions): Promise<Result> => {
    const query = (await document) ?? (await fetchDocument(file));
    document = Promise.resolve(query);
    return execute<Result>({ query, variables, operationName: options.operationName }, options);
  };
}

async function fetchDocument(file: string): Promise<string> {
  const response = await checkNetwork(fetch(new URL(file, import.meta.url)));
  if (!response.ok) throw new RetryableError(`The server responded with ${response.status} for ${file}.`);
  return response.text();
}

async function execute<Result>(body: object, { key, signal }: RequestOptions): Promise<Result> {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new KeyError('This is not a key: keys are letters, digits, "_" and "-".');
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const response = await checkNetwork(
    fetch('graphql', { method: 'POST', headers, body: JSON.stringify(body), signal }),
  );
  const { data, errors = [] } = await parseResponse<Result>(response);
  const messages = errors.map(({ message }) => message).join(' ');
  if (response.status === 401) throw new KeyError('This key is not known, or no longer valid.');
  if (response.status >= 500 || response.status === 429)
    throw new RetryableError(messages || `The server responded with ${response.status}.`);
  if (errors.length > 0) throw new UserError(messages);
  if (!data) throw new UserError(`The server responded with ${response.status} and no data.`);
  return data;
}

async function parseResponse<Result>(response: Response): Promise<GraphqlResponse<Result>> {
  try {
    return await response.json();
  } catch (cause) {
    throw new RetryableError(`The server responded with ${response.status}, and not in JSON.`, { cause });
  }
}

async function checkNetwork(response: Promise<Response>): Promise<Response> {
  try {
    return await response;
  } catch (cause) {
    throw new RetryableError('The server cannot be reached. Is it running, and is there a network?', { cause });
  }
}
