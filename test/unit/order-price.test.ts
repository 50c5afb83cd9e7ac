import { describe, expect, test } from 'vitest';
import { toItems } from '../../src/order/lines.ts';
import { type ChosenLine, type ChosenModifier, priceOrder } from '../../src/order/price.ts';

const name = { translations: {} };

const line = (quantity: number, [price, tax]: [number, number], modifiers: ChosenModifier[] = []): ChosenLine => ({
  item: { externalId: 'item', name, price, tax },
  quantity,
  note: undefined,
  modifiers,
});

/** `quantity` units of a modifier, in a group of which some units are free. */
const modifier = (
  [group, chargeAfter]: [string, number],
  quantity: number,
  [priceChange, taxChange]: [number, number],
): ChosenModifier => ({
  group: { externalId: group, chargeAfter },
  modifierItem: { externalId: 'modifier', name, priceChange, taxChange },
  quantity,
});

const freeOf = (lines: ChosenLine[]) =>
  toItems(lines).flatMap(({ modifiers }) =>
    (modifiers as { free_quantity?: number }[]).map(({ free_quantity = 0 }) => free_quantity),
  );

describe('the price of an order', () => {
  test('of no lines is 0', () => {
    expect(priceOrder([])).toEqual({ price: 0n, tax: 0n });
  });

  test('multiplies an item with its modifiers by the quantity of the line', () => {
    const lines = [line(3, [1000, 100], [modifier(['size', 0], 2, [50, 5])]), line(1, [7, 1])];
    expect(priceOrder(lines)).toEqual({ price: 3307n, tax: 331n });
  });

  test('leaves the first units of each group free, in the order chosen, for price and tax', () => {
    const a: [string, number] = ['a', 2];
    const lines = [
      line(1, [0, 0], [modifier(a, 1, [1, 10]), modifier(['b', 1], 1, [1000, 1]), modifier(a, 3, [100, 3])]),
    ];
    // Free are one unit of the first, the only one of `b`, and one of the last.
    expect(freeOf(lines)).toEqual([1, 1, 1]);
    expect(priceOrder(lines)).toEqual({ price: 200n, tax: 6n });
  });

  test('counts the free units of each line anew', () => {
    const chosen = () => line(2, [10, 1], [modifier(['a', 1], 2, [5, 1])]);
    expect(priceOrder([chosen(), chosen()])).toEqual({ price: 60n, tax: 8n });
  });

  test('can fall below 0, and charges everything if charge_after is negative', () => {
    expect(priceOrder([line(1, [10, 1], [modifier(['a', -5], 2, [-20, -2])])])).toEqual({ price: -30n, tax: -3n });
  });

  test('is exact beyond the safe integers', () => {
    const most = Number.MAX_SAFE_INTEGER;
    expect(priceOrder([line(1000, [most, 0]), line(1, [1, 0])])).toEqual({ price: 1000n * BigInt(most) + 1n, tax: 0n });
  });
});
