import { expect, test } from 'vitest';
import type { ModifierGroupNode } from '../../../src/menu/configuration.ts';
import { lowestPriceOf } from '../../../src/menu/diagnostics/lowest-price.ts';
import { group, item, large } from './menu-builder.ts';

type Choice = readonly [priceChange: number, minQuantity: number, maxQuantity: number];

const linked = (limits: Partial<ModifierGroupNode>, choices: readonly Choice[]) => {
  const modifierItems = choices.map(([priceChange, minQuantity, maxQuantity], index) =>
    large({ externalId: `m${index}`, priceChange, minQuantity, maxQuantity }),
  );
  return { ...group(limits), modifierItems } as unknown as ModifierGroupNode;
};

const lowestPrice = (price: number, ...modifierGroups: ModifierGroupNode[]) =>
  lowestPriceOf({ ...item({ price }), modifierGroups });

test.each<[string, number, Partial<ModifierGroupNode>, Choice[]]>([
  ['groupMax and maxQuantity bound the units', -99_999_500, { groupMin: 0, groupMax: 1e6 }, [[-100, 0, 1e6]]],
  ['groupMax bounds the units', 200, { groupMin: 0, groupMax: 3 }, [[-100, 0, 1e6]]],
  ['maxQuantity bounds the units', 300, { groupMin: 0, groupMax: 1e6 }, [[-100, 0, 2]]],
  [
    'free units are the dearest',
    300,
    { groupMin: 0, groupMax: 3, chargeAfter: 1 },
    [
      [-100, 0, 9],
      [50, 0, 1],
    ],
  ],
  ['a reduction may be free, too', 400, { groupMin: 0, groupMax: 9, chargeAfter: 2 }, [[-100, 0, 3]]],
  [
    'required units count',
    450,
    { groupMin: 0, groupMax: 2 },
    [
      [-100, 0, 1],
      [50, 1, 1],
    ],
  ],
  [
    'groupMin counts',
    420,
    { groupMin: 3, groupMax: 5 },
    [
      [-100, 0, 1],
      [10, 0, 9],
    ],
  ],
  ['a group that cannot be chosen from changes nothing', 500, { groupMin: 2, groupMax: 1 }, [[-600, 0, 2]]],
])('%s', (_rule, price, limits, choices) => {
  expect(lowestPrice(500, linked(limits, choices)).price).toBe(price);
});

test('the groups of an item add up, and the one that reduces most is named', () => {
  const [size, coupons] = [
    linked({}, [
      [40, 0, 1],
      [90, 0, 1],
    ]),
    linked({ groupMin: 0 }, [[-70, 0, 1]]),
  ];
  expect(lowestPrice(10, size, coupons)).toEqual({ price: -20, group: coupons });
});

/** Every choice that the rules of the group allow, and the lowest charge among them. */
function lowestByTrying({ groupMin, groupMax, chargeAfter, modifierItems }: ModifierGroupNode): number {
  let lowest = Number.POSITIVE_INFINITY;
  const choose = (index: number, units: readonly number[]): void => {
    const modifierItem = modifierItems[index];
    if (modifierItem) {
      const { minQuantity, maxQuantity, priceChange } = modifierItem;
      for (let count = Math.max(0, minQuantity); count <= maxQuantity; count++) {
        choose(index + 1, [...units, ...Array(count).fill(priceChange)]);
      }
    } else if (units.length >= groupMin && units.length <= groupMax) {
      const charged = units.toSorted((one, other) => other - one).slice(Math.max(0, chargeAfter));
      lowest = Math.min(
        lowest,
        charged.reduce((sum, change) => sum + change, 0),
      );
    }
  };
  choose(0, []);
  return Number.isFinite(lowest) ? lowest : 0;
}

test('the lowest price equals that of the best of all choices, for random groups', () => {
  // A linear congruential generator, so that a failure can be repeated.
  let seed = 1;
  const random = (from: number, to: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return from + (Math.floor(seed / 65_536) % (to - from + 1));
  };
  for (let round = 0; round < 2000; round++) {
    const choices = Array.from({ length: random(0, 4) }, (): Choice => {
      const min = random(-1, 1);
      return [random(-3, 3), min, Math.max(0, min) + random(0, 2)];
    });
    const limits = { groupMin: random(-1, 4), groupMax: random(0, 7), chargeAfter: random(-1, 5) };
    const given = linked(limits, choices);
    expect(lowestPrice(0, given).price, JSON.stringify({ limits, choices })).toBe(lowestByTrying(given));
  }
});
