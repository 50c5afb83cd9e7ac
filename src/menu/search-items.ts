import { InvalidInput } from '@carte/base/errors';
import { runInSlices, type Steps } from '@carte/base/time-slice';
import { checkRange } from '@carte/base/validation';
import type { StoreSearchItemsArgs } from '../generated/graph.ts';
import { type Configuration, isListed, type MenuItemNode } from './configuration.ts';

const maxWords = 8;
const sizes = { min: 0, max: 100 };

/** Finds the items of menus that have every word in one of their texts; all of them without words. */
export async function searchItems(configuration: Configuration, args: StoreSearchItemsArgs): Promise<MenuItemNode[]> {
  const { first, skip } = args;
  const errors = [...checkRange(['first'], first, sizes), ...checkRange(['skip'], skip, { min: 0 })];
  if (errors.length > 0) throw new InvalidInput(errors);
  return runInSlices(findItems(configuration, args));
}

function* findItems(
  { items, categories }: Configuration,
  { search, categoryExternalId, first, skip }: StoreSearchItemsArgs,
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
    const text = words.length > 0 ? fold(textOf(item)) : '';
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
