import { InvalidInput } from '@carte/base/errors';
import { runInSlices, type Steps, type TimeSlice } from '@carte/base/time-slice';
import { checkLength, checkRange } from '@carte/base/validation';
import type { StoreSearchItemsArgs } from '../generated/graph.ts';
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

/** Finds the items of menus that have every word in one of their texts; all of them without words. */
export async function searchItems(
  configuration: Configuration,
  args: StoreSearchItemsArgs,
  { slice, budget }: SearchContext,
): Promise<MenuItemNode[]> {
  const { search, first, skip } = args;
  const errors = [
    ...checkLength(['search'], search, searchLength),
    ...checkRange(['first'], first, sizes),
    ...checkRange(['skip'], skip, { min: 0 }),
  ];
  if (errors.length > 0) throw new InvalidInput(errors);
  return runInSlices(findItems(configuration, args, budget), slice, 1);
}

function* findItems(
  { items, categories }: Configuration,
  { search, categoryExternalId, first, skip }: StoreSearchItemsArgs,
  budget: CostBudget,
): Steps<MenuItemNode[]> {
  const words = fold(search ?? '')
    .split(/\s+/)
    .filter(word => word !== '')
    .slice(0, maxWords);
  const candidates =
    categoryExternalId == null ? items.values() : (categories.get(categoryExternalId)?.items.values() ?? []);
  const found: MenuItemNode[] = [];
  for (const item of candidates) {
    if (found.length === skip + first) break;
    const unfolded = words.length > 0 ? textOf(item) : '';
    budget.charge(unfolded.length * costPerCharacter, () => 'the texts that searchItems looks at');
    const text = fold(unfolded);
    if (words.every(word => text.includes(word)) && isListed.items(item)) found.push(item);
    yield;
  }
  return found.slice(skip);
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
