import type { MenuItemNode, ModifierGroupNode, ModifierItemNode } from '../menu/configuration.ts';

/** A line of an order with the entities that its external ids stand for. */
export interface ChosenLine {
  readonly item: Pick<MenuItemNode, 'externalId' | 'name' | 'price' | 'tax'>;
  readonly quantity: number;
  readonly note: string | undefined;
  readonly modifiers: readonly ChosenModifier[];
}

export interface ChosenModifier {
  readonly group: Pick<ModifierGroupNode, 'externalId' | 'chargeAfter'>;
  readonly modifierItem: Pick<ModifierItemNode, 'externalId' | 'name' | 'priceChange' | 'taxChange'>;
  /** For each unit of the line. */
  readonly quantity: number;
}

export interface PricedModifier extends ChosenModifier {
  /** Units that cost nothing, because of the group's `chargeAfter`. */
  readonly freeQuantity: number;
}

/** Exact: products of safe integers need not be safe. */
export type Amounts = Readonly<Record<'price' | 'tax', bigint>>;

/**
 * Prices an order: the sum over its lines of quantity × (item + charged units of its modifiers), for price and tax alike. All amounts are
 * integers of the smallest unit of the currency, and a tax is an amount, so nothing is rounded.
 */
export function priceOrder(lines: readonly ChosenLine[]): Amounts {
  let [price, tax] = [0n, 0n];
  for (const line of lines) {
    const quantity = BigInt(line.quantity);
    const unit = priceUnit(line);
    price += quantity * unit.price;
    tax += quantity * unit.tax;
  }
  return { price, tax };
}

/** One unit of a line, with its modifiers. */
export function priceUnit({ item, modifiers }: Pick<ChosenLine, 'item' | 'modifiers'>): Amounts {
  let [price, tax] = [BigInt(item.price), BigInt(item.tax)];
  for (const { modifierItem, quantity, freeQuantity } of priceModifiers(modifiers)) {
    const charged = BigInt(quantity - freeQuantity);
    price += charged * BigInt(modifierItem.priceChange);
    tax += charged * BigInt(modifierItem.taxChange);
  }
  return { price, tax };
}

/** The first `chargeAfter` units of each group are free, in the order in which they were chosen. */
export function priceModifiers(modifiers: readonly ChosenModifier[]): PricedModifier[] {
  const chosen = new Map<string, number>();
  return modifiers.map(modifier => {
    const { group, quantity } = modifier;
    const before = chosen.get(group.externalId) ?? 0;
    chosen.set(group.externalId, before + quantity);
    const freeQuantity = Math.min(quantity, Math.max(0, group.chargeAfter - before));
    return { ...modifier, freeQuantity };
  });
}
