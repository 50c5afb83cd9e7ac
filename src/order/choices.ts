import { memoize } from '@carte/base/memoize';
import { type ErrorPath, maxErrors } from '@carte/base/validation';
import type { OrderLineInput, OrderModifierInput } from '../generated/graph.ts';
import { dayNames, isAvailable, type LocalTime, toLocalTime } from '../menu/availability.ts';
import {
  type Configuration,
  type MenuItemNode,
  type MenuNode,
  type ModifierGroupNode,
  type ModifierItemNode,
  menusOf,
} from '../menu/configuration.ts';
import type { Store } from '../store/entities.ts';
import { type ChosenLine, type ChosenModifier, priceUnit } from './price.ts';
import type { OrderProblem } from './problems.ts';

const maxNames = 3;

/**
 * Looks up what the lines of an order choose from a configuration, and collects every reason to refuse it. The result has the lines without items and
 * modifiers that were not found, and whether all of them were.
 */
export function resolveChoices(
  configuration: Configuration,
  lines: readonly OrderLineInput[],
  { readyBy, store }: { readonly readyBy: Date; readonly store: Pick<Store, 'timezone' | 'specialHours'> },
) {
  const local = toLocalTime(readyBy, store.timezone, store.specialHours);
  const isOpen = memoize((menu: MenuNode) => isAvailable(menu.availability, local));
  const itemErrorsOf = memoize((item: MenuItemNode) => [...checkItem(item, local, isOpen)]);
  const errors: OrderProblem[] = [];
  const resolved = lines.flatMap((line, index): ChosenLine[] => {
    if (errors.length >= maxErrors) return [];
    const path = ['input', 'lines', index];
    const item = configuration.items.get(line.itemExternalId);
    if (!item) {
      errors.push(notFound([...path, 'itemExternalId'], `no item has the external id ${quote(line.itemExternalId)}`));
      return [];
    }
    for (const error of itemErrorsOf(item)) errors.push({ ...error, path: [...path, 'itemExternalId'] });
    const errorsBefore = errors.length;
    const modifiers = resolveModifiers(item, line.modifiers ?? [], [...path, 'modifiers'], errors);
    // The price is known only if every choice is.
    if (errors.length === errorsBefore) errors.push(...checkUnit({ item, modifiers }, path));
    return [{ item, quantity: line.quantity ?? 1, note: line.note ?? undefined, modifiers }];
  });
  return { lines: resolved, isComplete: countChoices(resolved) === countChoices(lines), errors };
}

const countChoices = (lines: readonly { readonly modifiers?: readonly unknown[] | null }[]) =>
  lines.reduce((count, { modifiers }) => count + 1 + (modifiers?.length ?? 0), 0);

const quote = (text: string) => JSON.stringify(text);
const notFound = (path: ErrorPath, message: string): OrderProblem => ({
  path,
  type: 'reference_not_found',
  message,
});

function* checkItem(
  item: MenuItemNode,
  local: LocalTime,
  isOpen: (menu: MenuNode) => boolean,
): Generator<Omit<OrderProblem, 'path'>> {
  const name = `item ${quote(item.externalId)}`;
  if (!item.inStock) yield { type: 'sold_out', message: `${name} is sold out` };
  if (!item.sellSeparately) {
    yield { type: 'not_sold_separately', message: `${name} is not sold separately, only as a modifier` };
  }
  const menus = menusOf(item);
  if (menus.length === 0) yield { type: 'not_available', message: `${name} is in no menu, so it is never available` };
  else if (!menus.some(isOpen)) {
    const others = menus.length > maxNames ? ` and ${menus.length - maxNames} others` : '';
    const first = menus.slice(0, maxNames).map(menu => quote(menu.externalId));
    const names = first.join(', ') + others;
    const noun = menus.length === 1 ? `menu ${names}, which is not` : `menus ${names}, none of which is`;
    yield { type: 'not_available', message: `${name} is in the ${noun} available on ${describe(local)}` };
  }
}

function describe({ day, second }: LocalTime): string {
  const [hour, minute] = [second / 3600, (second / 60) % 60].map(part => String(Math.floor(part)).padStart(2, '0'));
  return `${dayNames[day]} at ${hour}:${minute} by the clock of the store`;
}

/** Single price changes may be negative, but nobody is paid for what they order. */
function* checkUnit(line: Pick<ChosenLine, 'item' | 'modifiers'>, path: ErrorPath): Generator<OrderProblem> {
  for (const [noun, amount] of Object.entries(priceUnit(line))) {
    if (amount >= 0n) continue;
    const unit = `the ${noun} of one item ${quote(line.item.externalId)} with its modifiers`;
    yield { path, type: 'value_error', message: `${unit} is ${amount}; it must be at least 0` };
  }
}

function resolveModifiers(
  item: MenuItemNode,
  modifiers: readonly OrderModifierInput[],
  path: ErrorPath,
  errors: OrderProblem[],
): ChosenModifier[] {
  const chosen = new Map<string, number>();
  const unresolved = new Set<string>();
  const resolved = modifiers.flatMap((modifier, index) => {
    const found = findModifier(item, modifier, [...path, index], errors);
    if (!found) {
      unresolved.add(modifier.modifierGroupExternalId);
      return [];
    }
    const key = JSON.stringify([found.group.externalId, found.modifierItem.externalId]);
    const first = chosen.get(key);
    if (first !== undefined) {
      const name = `modifier item ${quote(found.modifierItem.externalId)}`;
      const message = `${name} is already chosen at index ${first}; add up the quantities`;
      errors.push({ path: [...path, index, 'modifierItemExternalId'], type: 'duplicate_reference', message });
      unresolved.add(modifier.modifierGroupExternalId);
      return [];
    }
    chosen.set(key, index);
    return [{ ...found, index }];
  });
  const byGroup = Map.groupBy(resolved, ({ group }) => group);
  for (const group of new Set([...requiredGroupsOf(item), ...byGroup.keys()])) {
    if (errors.length >= maxErrors) break;
    // The number of selections is known only if all of them are.
    if (unresolved.has(group.externalId)) continue;
    errors.push(...checkGroup(group, byGroup.get(group) ?? [], path));
  }
  return resolved;
}

type FoundModifier = NonNullable<ReturnType<typeof findModifier>>;

function findModifier(
  item: MenuItemNode,
  { modifierGroupExternalId, modifierItemExternalId, quantity = 1 }: OrderModifierInput,
  path: ErrorPath,
  errors: OrderProblem[],
) {
  const group = groupsOf(item).get(modifierGroupExternalId);
  if (!group) {
    const message = `item ${quote(item.externalId)} has no modifier group ${quote(modifierGroupExternalId)}`;
    errors.push(notFound([...path, 'modifierGroupExternalId'], message));
    return undefined;
  }
  const modifierItem = modifierItemsOf(group).get(modifierItemExternalId);
  if (!modifierItem) {
    const message = `modifier group ${quote(modifierGroupExternalId)} has no modifier item ${quote(modifierItemExternalId)}`;
    errors.push(notFound([...path, 'modifierItemExternalId'], message));
    return undefined;
  }
  const soldOut = soldOutMessage(modifierItem);
  if (soldOut) errors.push({ path: [...path, 'modifierItemExternalId'], type: 'sold_out', message: soldOut });
  return { group, modifierItem, quantity };
}

function soldOutMessage({ externalId, inStock, item }: ModifierItemNode): string | undefined {
  const name = `modifier item ${quote(externalId)}`;
  if (!inStock) return `${name} is sold out`;
  return item?.inStock === false ? `${name} stands for item ${quote(item.externalId)}, which is sold out` : undefined;
}

/** Checks the limits of a group, and those of each of its modifier items, also if nothing of it was chosen. */
function* checkGroup(
  group: ModifierGroupNode,
  chosen: readonly (FoundModifier & { readonly index: number })[],
  path: ErrorPath,
): Generator<OrderProblem> {
  const { externalId, groupMin, groupMax } = group;
  const byModifierItem = new Map(chosen.map(choice => [choice.modifierItem, choice]));
  const total = chosen.reduce((sum, { quantity }) => sum + quantity, 0);
  yield* rangeErrors(path, `modifier group ${quote(externalId)}`, total, { min: groupMin, max: groupMax });
  for (const modifierItem of new Set([...requiredItemsOf(group), ...byModifierItem.keys()])) {
    const { minQuantity: min, maxQuantity: max } = modifierItem;
    const choice = byModifierItem.get(modifierItem);
    const quantity = choice?.quantity ?? 0;
    // An order has up to 2,000 modifiers, most of them without an error to be described.
    if (quantity >= min && quantity <= max) continue;
    const ownPath = choice ? [...path, choice.index, 'quantity'] : path;
    const name = `modifier item ${quote(modifierItem.externalId)} of group ${quote(externalId)}`;
    yield* rangeErrors(ownPath, name, quantity, { min, max });
  }
}

function* rangeErrors(
  path: ErrorPath,
  name: string,
  quantity: number,
  { min, max }: { readonly min: number; readonly max: number },
): Generator<OrderProblem> {
  const message = (bound: string) => `${name} must be chosen ${bound}, not ${times(quantity)}`;
  if (quantity < min) yield { path, type: 'greater_than_equal', message: message(`at least ${times(min)}`) };
  if (quantity > max) yield { path, type: 'less_than_equal', message: message(`at most ${times(max)}`) };
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`);

// An item may have thousands of groups and be in thousands of menus. What follows from an immutable configuration alone is computed for the first
// order, and shared by the next ones.

const groupsOf = memoize(
  ({ modifierGroups }: MenuItemNode) => new Map(modifierGroups.map(group => [group.externalId, group])),
);

const modifierItemsOf = memoize(
  ({ modifierItems }: ModifierGroupNode) => new Map(modifierItems.map(item => [item.externalId, item])),
);

/** The groups from which something must be chosen. */
const requiredGroupsOf = memoize(({ modifierGroups }: MenuItemNode) =>
  modifierGroups.filter(group => group.groupMin > 0 || requiredItemsOf(group).length > 0),
);

/** The modifier items with a minimum, which holds also if they are not chosen. */
const requiredItemsOf = memoize(({ modifierItems }: ModifierGroupNode) =>
  modifierItems.filter(({ minQuantity }) => minQuantity > 0),
);
