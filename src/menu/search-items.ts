import { InvalidInput } from '@carte/base/errors';
import { runInSlices, type Steps, type TimeSlice } from '@carte/base/time-slice';
import { checkLength, checkRange } from '@carte/base/validation';
import type { MenuItemConnectionResolvers, StoreSearchItemsArgs } from '../generated/graph.ts';
import { connectionErrors, cursorAt, encodeCursor, pageInfoOf, pageRequest } from '../lists/paging.ts';
import type { CostBudget } from '../scheduling/cost-budget.ts';
import { type Configuration, isListed, type MenuItemNode } from './configuration.ts';

const maxWords = 8;
const sizes = { min: 0, max: 100 };
const searchLength = { min: 0, max: 200 };
/** Of a text that is searched. */
const costPerCharacter = 1 / 20;

interface SearchContext {
  readonly slice: TimeSlice;
  readonly budget: CostBudget;
}

/** A page of what a search finds. */
export interface ItemConnection {
  readonly nodes: readonly MenuItemNode[];
  /** The position of the first of them in all that is found. */
  readonly start: number;
  readonly hasNextPage: boolean;
  /** The number of all, for which every item is looked at. */
  readonly count: () => Promise<number>;
}

/** Finds the items of menus that have every word in one of their texts; all of them without words. */
export async function searchItems(
  configuration: Configuration,
  args: StoreSearchItemsArgs,
  { slice, budget }: SearchContext,
): Promise<ItemConnection> {
  const { search, first, skip } = args;
  const errors = [
    ...checkLength(['search'], search, searchLength),
    ...connectionErrors('item', args, sizes),
    ...checkRange(['skip'], skip, { min: 0 }),
  ];
  if (errors.length > 0) throw new InvalidInput(errors);
  const { after } = pageRequest('item', args, first);
  const start = after ? Number(after.id) + 1 : (skip ?? 0);
  const find = (most: number) => runInSlices(findItems(configuration, args, { most, budget }), slice, 1);
  const found = await find(start + first + 1);
  return {
    nodes: found.slice(start, start + first),
    start,
    hasNextPage: found.length > start + first,
    count: async () => (await find(Number.POSITIVE_INFINITY)).length,
  };
}

export const searchResolvers = {
  edges: ({ nodes, start }) =>
    nodes.map((node, index) => ({ cursor: encodeCursor('item', cursorAt(start + index)), node })),
  pageInfo: ({ nodes, start, hasNextPage }) =>
    pageInfoOf('item', {
      nodes: nodes.map((_item, index) => cursorAt(start + index)),
      hasPreviousPage: start > 0,
      hasNextPage,
    }),
  totalCount: ({ count }) => count(),
} satisfies MenuItemConnectionResolvers;

interface FindOptions {
  /** Nothing is looked at beyond so many items. */
  readonly most: number;
  readonly budget: CostBudget;
}

function* findItems(
  { items, categories }: Configuration,
  { search, categoryExternalId }: StoreSearchItemsArgs,
  { most, budget }: FindOptions,
): Steps<MenuItemNode[]> {
  const words = fold(search ?? '')
    .split(/\s+/)
    .filter(word => word !== '')
    .slice(0, maxWords);
  const candidates =
    categoryExternalId == null ? items.values() : (categories.get(categoryExternalId)?.items.values() ?? []);
  const found: MenuItemNode[] = [];
  for (const item of candidates) {
    if (found.length === most) break;
    const unfolded = words.length > 0 ? textOf(item) : '';
    budget.charge(unfolded.length * costPerCharacter, () => 'the texts that searchItems looks at');
    const text = fold(unfolded);
    if (words.every(word => text.includes(word)) && isListed.items(item)) found.push(item);
    yield;
  }
  return found;
}

const textOf = ({ externalId, name, description, ingredients }: MenuItemNode): string =>
  [
    externalId,
    ...Object.values(name.translations),
    ...Object.values(description?.translations ?? {}),
    ingredients,
  ].join('\n');

/** Without case and diacritics. */
const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
