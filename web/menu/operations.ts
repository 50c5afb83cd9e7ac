import type {
  MenuQuery,
  MenuQueryVariables,
  OverviewQuery,
  OverviewQueryVariables,
  StoresQuery,
  StoresQueryVariables,
} from '../../src/generated/web.ts';
import { operation } from './graph.ts';

export type Store = StoresQuery['stores'][number];
export type Overview = NonNullable<OverviewQuery['store']>;
export type Card = NonNullable<MenuQuery['store']>;
export type Menu = Card['menus'][number];
export type Category = Menu['categories'][number];

export const askStores = operation<StoresQuery, StoresQueryVariables>('stores.graphql');
export const askOverview = operation<OverviewQuery, OverviewQueryVariables>('overview.graphql');
export const askMenu = operation<MenuQuery, MenuQueryVariables>('menu.graphql');
