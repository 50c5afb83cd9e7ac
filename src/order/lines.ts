import { isObject, numberOf } from '@carte/base/json';
import { memoize } from '@carte/base/memoize';
import type * as Graph from '../generated/graph.ts';
import type { MultilingualText } from '../menu/entities.ts';
import type { Order } from './entities.ts';
import { type ChosenLine, type PricedModifier, priceModifiers } from './price.ts';

/** The documented shape of `Order.items`, which REST returns as it is stored. */
export function toItems(lines: readonly ChosenLine[]): Record<string, unknown>[] {
  return lines.map(({ item, quantity, modifiers, note }) => ({
    external_id: item.externalId,
    name: item.name,
    quantity,
    price: item.price,
    tax: item.tax,
    modifiers: priceModifiers(modifiers).map(toItemModifier),
    ...(note !== undefined && { note }),
  }));
}

function toItemModifier({ group, modifierItem, quantity, freeQuantity }: PricedModifier): Record<string, unknown> {
  return {
    external_id: modifierItem.externalId,
    group_external_id: group.externalId,
    name: modifierItem.name,
    quantity,
    price_change: modifierItem.priceChange,
    tax_change: modifierItem.taxChange,
    ...(freeQuantity > 0 && { free_quantity: freeQuantity }),
  };
}

/** Counts the characters of all texts of `toItems`, which copies the names of the menu, of any length, as often as something is ordered. */
export function countCharacters(lines: readonly ChosenLine[]): number {
  let count = 0;
  for (const { item, note = '', modifiers } of lines) {
    count += item.externalId.length + note.length + charactersOf(item.name);
    for (const { group, modifierItem } of modifiers) {
      count += group.externalId.length + modifierItem.externalId.length + charactersOf(modifierItem.name);
    }
  }
  return count;
}

const charactersOf = memoize(({ translations }: MultilingualText): number => {
  let count = 0;
  for (const language in translations) count += language.length + (translations[language]?.length ?? 0);
  return count;
});

/** Where the menu is that the lines were chosen from, and what tells the currency of all amounts. */
export type AmountOwner = Pick<Order, 'store' | 'loadedStore' | 'storeSummary'>;

type LineAmount = 'price' | 'tax' | 'totalPrice' | 'totalTax';
type ModifierAmount = 'priceChange' | 'taxChange';

/** A line of an order as it was priced, with amounts in the smallest unit of the currency. */
export interface OrderLine
  extends Omit<Graph.OrderLine, 'item' | 'name' | 'modifiers' | LineAmount | `${LineAmount}MinorUnits`>,
    Readonly<Record<LineAmount, number>> {
  readonly owner: AmountOwner;
  readonly name: MultilingualText;
  readonly modifiers: readonly OrderLineModifier[];
}

export interface OrderLineModifier
  extends Omit<Graph.OrderLineModifier, 'modifierItem' | 'name' | ModifierAmount | `${ModifierAmount}MinorUnits`>,
    Readonly<Record<ModifierAmount, number>> {
  readonly owner: AmountOwner;
  readonly name: MultilingualText;
}

/** Reads the lines from `Order.items`; null if any of these has another shape than that of `toItems`, as imported ones may. */
export function readLines(order: AmountOwner & Pick<Order, 'items'>): readonly OrderLine[] | null {
  return readAll([...order.items], item => readLine(item, order));
}

function readLine(item: unknown, owner: AmountOwner): OrderLine | null {
  if (!isObject(item)) return null;
  const { external_id: itemExternalId, name, note = null } = item;
  const modifiers = readAll(item.modifiers ?? [], modifier => readModifier(modifier, owner));
  const [quantity, price, tax] = [item.quantity, item.price, item.tax].map(integerOf);
  if (typeof itemExternalId !== 'string' || !isText(name) || (note !== null && typeof note !== 'string')) return null;
  if (!modifiers || quantity === undefined || price === undefined || tax === undefined) return null;
  const charged = modifiers.map(modifier => ({ ...modifier, units: modifier.quantity - modifier.freeQuantity }));
  const totalPrice = charged.reduce((sum, { units, priceChange }) => sum + units * priceChange, price) * quantity;
  const totalTax = charged.reduce((sum, { units, taxChange }) => sum + units * taxChange, tax) * quantity;
  if (!Number.isSafeInteger(totalPrice) || !Number.isSafeInteger(totalTax)) return null;
  return { owner, itemExternalId, name, quantity, price, tax, totalPrice, totalTax, note, modifiers };
}

function readModifier(modifier: unknown, owner: AmountOwner): OrderLineModifier | null {
  if (!isObject(modifier)) return null;
  const { external_id: modifierItemExternalId, group_external_id: modifierGroupExternalId, name } = modifier;
  const numbers = [modifier.quantity, modifier.free_quantity ?? 0, modifier.price_change, modifier.tax_change];
  const [quantity, freeQuantity, priceChange, taxChange] = numbers.map(integerOf);
  if (typeof modifierItemExternalId !== 'string' || typeof modifierGroupExternalId !== 'string' || !isText(name))
    return null;
  if (quantity === undefined || freeQuantity === undefined) return null;
  if (priceChange === undefined || taxChange === undefined) return null;
  return {
    owner,
    modifierGroupExternalId,
    modifierItemExternalId,
    name,
    quantity,
    freeQuantity,
    priceChange,
    taxChange,
  };
}

/** Null if the value is no list, or any of its elements is not read. */
function readAll<T>(list: unknown, read: (element: unknown) => T | null): readonly T[] | null {
  if (!Array.isArray(list)) return null;
  const elements = list.map(read);
  const found = elements.filter(element => element !== null);
  return found.length === elements.length ? found : null;
}

function integerOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

function isText(value: unknown): value is MultilingualText {
  if (!isObject(value) || !isObject(value.translations)) return false;
  return Object.values(value.translations).every(text => typeof text === 'string');
}
