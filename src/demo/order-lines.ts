import type { MenuItemInput, ModifierGroupInput, ModifierItemInput } from '../generated/graph.ts';
import { isAvailable, toLocalTime } from '../menu/availability.ts';
import type { ConfigurationInput } from '../menu/kinds.ts';
import type { Random } from './random.ts';

export interface DemoStore {
  readonly id: string;
  /** UTC when absent. */
  readonly timezone?: string | null | undefined;
  readonly menu: ConfigurationInput;
}

/** A line of an order as a POS sends it; price and tax are per unit, without modifiers. */
export interface OrderLine {
  readonly external_id: string;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
  readonly tax: number;
  readonly note: string | null;
  readonly modifiers: readonly OrderLine[];
}

/** The items that can be ordered at a moment: in an available menu, in stock and sold separately. */
export function findAvailableItems({ menu, timezone }: DemoStore, moment: Date): MenuItemInput[] {
  const local = toLocalTime(moment, timezone);
  const menus = (menu.menus ?? []).filter(({ availability }) => isAvailable(availability, local));
  const categoryIds = new Set(menus.flatMap(({ categoryExternalIds }) => categoryExternalIds ?? []));
  const categories = (menu.categories ?? []).filter(({ externalId }) => categoryIds.has(externalId));
  const itemIds = new Set(categories.flatMap(({ itemExternalIds }) => itemExternalIds ?? []));
  return menu.items.filter(item => itemIds.has(item.externalId) && item.sellSeparately && item.inStock !== false);
}

const notes = ['in a separate bag', 'for Inês', 'as last time', 'to go with the rest', 'no hurry'];

/** Draws one to four lines, mostly of a single unit. */
export function drawOrderLines(
  { items: allItems, modifierGroups, modifierItems }: ConfigurationInput,
  items: readonly MenuItemInput[],
  random: Random,
): OrderLine[] {
  const groupsOf = ({ modifierGroupExternalIds }: MenuItemInput) =>
    (modifierGroups ?? []).filter(({ externalId }) => modifierGroupExternalIds?.includes(externalId));

  function drawModifiers(group: ModifierGroupInput): OrderLine[] {
    const { modifierItemExternalIds, chargeAfter, groupMin, groupMax } = group;
    const available = (modifierItems ?? []).filter(
      ({ externalId, inStock }) => modifierItemExternalIds?.includes(externalId) && inStock !== false,
    );
    const offered = random.shuffle(available);
    if (random.chance(0.6)) offered.sort((a, b) => b.defaultQuantity - a.defaultQuantity);
    const wanted = random.chance(0.4) ? Math.max(chargeAfter, 1) + random.pick([0, 0, 0, 1]) : 0;
    const count = Math.min(Math.max(wanted, groupMin), groupMax);
    return offered.slice(0, count).map((modifierItem, position) => {
      const isFree = position < chargeAfter;
      return {
        external_id: modifierItem.externalId,
        name: englishName(modifierItem),
        quantity: 1,
        price: isFree ? 0 : modifierItem.priceChange,
        tax: isFree ? 0 : modifierItem.taxChange,
        note: null,
        modifiers: drawRequiredModifiers(modifierItem),
      };
    });
  }

  /** Draws only from the required groups of a modifier item's item, since items may refer to each other in cycles. */
  function drawRequiredModifiers({ itemExternalId }: ModifierItemInput): OrderLine[] {
    const item = allItems.find(({ externalId }) => externalId === itemExternalId);
    const groups = item ? groupsOf(item) : [];
    return groups.filter(({ groupMin }) => groupMin > 0).flatMap(drawModifiers);
  }

  const chosen = random.shuffle(items).slice(0, random.pick([1, 1, 2, 2, 2, 3, 3, 4]));
  return chosen.map(item => ({
    external_id: item.externalId,
    name: englishName(item),
    quantity: random.pick([1, 1, 1, 1, 1, 2, 2, 3]),
    price: item.price,
    tax: item.tax,
    note: random.chance(0.1) ? random.pick(notes) : null,
    modifiers: groupsOf(item).flatMap(drawModifiers),
  }));
}

/** Sums lines with their modifiers. */
export function totalOf(lines: readonly OrderLine[]): { readonly price: number; readonly tax: number } {
  return lines.reduce(
    (sum, line) => {
      const modifiers = totalOf(line.modifiers);
      return {
        price: sum.price + line.quantity * (line.price + modifiers.price),
        tax: sum.tax + line.quantity * (line.tax + modifiers.tax),
      };
    },
    { price: 0, tax: 0 },
  );
}

function englishName({ externalId, name }: MenuItemInput | ModifierItemInput): string {
  return name.translations.en ?? externalId;
}
