import type { BodyItem, BodyModifierGroup, BodyModifierItem, MenuBody } from './menu.ts';
import type { Random } from './random.ts';

/** A line of an order as a till sends it; price and tax are those of one unit, without its modifiers. */
export interface OrderLine {
  readonly external_id: string;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
  readonly tax: number;
  readonly note: string | null;
  readonly modifiers: readonly OrderLine[];
}

const notes = ['in a separate bag', 'for Inês', 'as last time', 'to go with the rest', 'no hurry'];

/** One to four lines, mostly of a single unit. */
export function fillBasket(menu: MenuBody, items: readonly BodyItem[], random: Random): OrderLine[] {
  const chosen = random.shuffle(items).slice(0, random.pick([1, 1, 2, 2, 2, 3, 3, 4]));
  return chosen.map(item => ({
    external_id: item.external_id,
    name: nameOf(item),
    quantity: random.pick([1, 1, 1, 1, 1, 2, 2, 3]),
    price: item.price,
    tax: item.tax,
    note: random.chance(0.1) ? random.pick(notes) : null,
    modifiers: groupsOf(menu, item).flatMap(group => chooseModifiers(menu, group, random)),
  }));
}

/** What all lines cost together, their modifiers included. */
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

function chooseModifiers(menu: MenuBody, group: BodyModifierGroup, random: Random): OrderLine[] {
  const offered = random.shuffle(modifiersIn(menu, group));
  if (random.chance(0.6)) offered.sort((one, other) => other.default_quantity - one.default_quantity);
  const wanted = random.chance(0.4) ? Math.max(group.charge_after, 1) + random.pick([0, 0, 0, 1]) : 0;
  const count = Math.min(Math.max(wanted, group.group_min), group.group_max);
  return offered.slice(0, count).map((modifier, position) => {
    const free = position < group.charge_after;
    return {
      external_id: modifier.external_id,
      name: nameOf(modifier),
      quantity: 1,
      price: free ? 0 : modifier.price_change,
      tax: free ? 0 : modifier.tax_change,
      note: null,
      modifiers: modifiersOfModifier(menu, modifier, random),
    };
  });
}

/** A modifier that stands for an item asks what that item must be asked, and no more: items may refer to each other. */
function modifiersOfModifier(menu: MenuBody, modifier: BodyModifierItem, random: Random): OrderLine[] {
  const item = menu.items.find(({ external_id }) => external_id === modifier.menu_item_external_id);
  if (item === undefined) return [];
  return groupsOf(menu, item)
    .filter(({ group_min }) => group_min > 0)
    .flatMap(group => chooseModifiers(menu, group, random));
}

function groupsOf(menu: MenuBody, { modifier_external_ids = [] }: BodyItem): BodyModifierGroup[] {
  return (menu.modifier_groups ?? []).filter(({ external_id }) => modifier_external_ids.includes(external_id));
}

function modifiersIn(menu: MenuBody, { modifier_item_external_ids = [] }: BodyModifierGroup): BodyModifierItem[] {
  return (menu.modifier_items ?? []).filter(
    ({ external_id, in_stock }) => modifier_item_external_ids.includes(external_id) && in_stock !== false,
  );
}

function nameOf({ external_id, name }: BodyItem | BodyModifierItem): string {
  return name.translations.en ?? external_id;
}
