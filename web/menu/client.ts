import type {
  DiagnosticsQuery,
  MenuQuery,
  MenuQueryVariables,
  StoreDetailsQuery,
  StoresQuery,
} from '../../src/generated/web.ts';
import { openOperations } from '../client.ts';
import { isPublishable } from '../key.ts';

export type Store = StoresQuery['stores']['nodes'][number];
export type StoreDetails = NonNullable<StoreDetailsQuery['store']>;
export type MenuCard = NonNullable<MenuQuery['store']>;
export type Menu = MenuCard['menus'][number];
export type Category = Menu['categories'][number];
export type Diagnostic = NonNullable<DiagnosticsQuery['store']>['menuDiagnostics'][number];

const { operation } = openOperations(new URL('menu.graphql', import.meta.url));
export const fetchStores = operation('Stores');
export const fetchStoreDetails = operation('StoreDetails');
export const fetchLanguages = operation('Languages');
const fetchMenu = operation('Menu');
const fetchGuestMenu = operation('GuestMenu');
export const fetchOpenings = operation('Openings');
export const fetchDiagnostics = operation('Diagnostics');

export interface LoadOptions {
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Fetches the menus, with the modifier groups that their items have. */
export async function fetchMenuCard(variables: MenuQueryVariables, options: LoadOptions): Promise<MenuCard | null> {
  if (!isPublishable(options.key)) return (await fetchMenu(variables, options)).store;
  const { store } = await fetchGuestMenu(variables, options);
  const items = store?.menus.flatMap(({ categories }) => categories).flatMap(category => category.items) ?? [];
  return store && { ...store, modifierGroups: items.flatMap(({ modifierGroups }) => modifierGroups) };
}
