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
import { openOperations } from '../client.ts';
import { isPublishable } from '../key.ts';

export type Store = StoresQuery['stores']['nodes'][number];
export type StoreDetails = NonNullable<StoreDetailsQuery['store']>;
export type MenuCard = NonNullable<MenuQuery['store']>;
export type Menu = MenuCard['menus'][number];
export type Category = Menu['categories'][number];
export type Diagnostic = NonNullable<DiagnosticsQuery['store']>['menuDiagnostics'][number];

const { operation } = openOperations(new URL('menu.graphql', import.meta.url));
export const fetchStores = operation<StoresQuery, StoresQueryVariables>('Stores');
export const fetchStoreDetails = operation<StoreDetailsQuery, StoreDetailsQueryVariables>('StoreDetails');
export const fetchLanguages = operation<LanguagesQuery, LanguagesQueryVariables>('Languages');
const fetchMenu = operation<MenuQuery, MenuQueryVariables>('Menu');
const fetchGuestMenu = operation<GuestMenuQuery, MenuQueryVariables>('GuestMenu');
export const fetchOpenings = operation<OpeningsQuery, OpeningsQueryVariables>('Openings');
export const fetchDiagnostics = operation<DiagnosticsQuery, DiagnosticsQueryVariables>('Diagnostics');

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
