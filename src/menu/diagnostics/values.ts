import { memoize } from '@carte/base/memoize';
import type { CategoryNode, MenuItemNode, ModifierGroupNode } from '../configuration.ts';
import type { EntityCheck, Findings, Problems, ValidationContext } from './context.ts';
import { lowestChangeOf, lowestPriceOf } from './lowest-price.ts';
import { displayName } from './messages.ts';

export const checkPrices: EntityCheck<'items'> = function* (item, { parents }) {
  const { price, tax, modifierGroups } = item;
  if (price < 0) yield { code: 'NEGATIVE_PRICE', at: ['price'], text: `has the negative price ${price}` };
  if (tax < 0) yield { code: 'NEGATIVE_TAX', at: ['tax'], text: `has the negative tax ${tax}` };
  yield* checkTax('tax', price, tax);
  if (price >= 0 && modifierGroups.some(group => signsOf(group).isReduced)) {
    for (const group of modifierGroups) {
      lowestChangeOf(group);
      yield;
    }
    const { price: lowest, group } = lowestPriceOf(item);
    if (lowest < 0 && group) {
      const reduction = `the modifiers, most of all those of group ${displayName(group)}, can reduce that to ${lowest}`;
      const text = `costs ${price}, but ${reduction}; such an order is refused`;
      yield { code: 'PRICE_BELOW_ZERO', at: ['price'], text };
    }
  }
  if (price !== 0 || !item.sellSeparately || !parents.items.has(item.externalId)) return;
  if (modifierGroups.some(group => signsOf(group).isCharged)) return;
  yield { code: 'FREE_ITEM', at: ['price'], text: 'costs nothing, and nothing that is chosen with it does' };
};

export const checkPriceChange: EntityCheck<'modifierItems'> = ({ priceChange, taxChange }) =>
  checkTax('taxChange', priceChange, taxChange);

function* checkTax(field: string, price: number, tax: number): Problems {
  if (price < 0 || tax <= price) return;
  if (price === 0) {
    yield { code: 'TAX_WITHOUT_PRICE', at: [field], text: `is taxed with ${tax} although it costs nothing` };
  } else {
    const text = `is taxed with ${tax}, which is more than its price of ${price}`;
    yield { code: 'TAX_ABOVE_PRICE', at: [field], text };
  }
}

const signsOf = memoize(({ modifierItems }: ModifierGroupNode) => ({
  isReduced: modifierItems.some(({ priceChange }) => priceChange < 0),
  isCharged: modifierItems.some(({ priceChange }) => priceChange > 0),
}));

/** Wide enough for a bottle next to a glass; an amount in the wrong unit is off by about 100. */
const outlierFactor = 50;
/** Fewer prices do not determine which of them is the outlier. */
const minPrices = 4;

/** Finds prices in the wrong unit, such as 4 or 40000 among 400s; reports an item in several categories once. */
export function* checkPriceUnits({ categories, items }: ValidationContext): Findings {
  const outliers = new Map<MenuItemNode, { readonly category: CategoryNode; readonly median: number }>();
  for (const category of categories) {
    yield;
    const priced = category.items.filter(({ price }) => price > 0);
    if (priced.length < minPrices) continue;
    const median = medianOf(priced.map(({ price }) => price));
    for (const item of priced) {
      const { price } = item;
      if (outliers.has(item) || (price < median * outlierFactor && price * outlierFactor > median)) continue;
      outliers.set(item, { category, median });
    }
  }
  if (outliers.size === 0) return;
  for (const [index, item] of items.entries()) {
    yield;
    const found = outliers.get(item);
    if (!found) continue;
    const usual = `in category ${displayName(found.category)}, where half of the items cost at most ${found.median}`;
    const message = `Item ${displayName(item)} costs ${item.price} ${usual}; it may be in the wrong unit.`;
    yield { code: 'PRICE_OUT_OF_LINE', path: ['items', index, 'price'], message };
  }
}

function medianOf(prices: readonly number[]): number {
  return Float64Array.from(prices).sort()[Math.floor((prices.length - 1) / 2)] ?? 0;
}

/** Finds rates that were posted as amounts: the same tax at every price. */
export function* checkTaxRates({ items }: ValidationContext): Findings {
  const taxed = items.filter(({ price, tax }) => price > 0 && tax > 0);
  const [first] = taxed;
  if (!first || taxed.length <= minPrices || taxed.some(({ tax }) => tax !== first.tax)) return;
  const lowest = taxed.reduce((price, item) => Math.min(price, item.price), first.price);
  const highest = taxed.reduce((price, item) => Math.max(price, item.price), first.price);
  if (highest < 2 * lowest) return;
  const prices = `although they cost ${lowest} to ${highest}`;
  const message = `All ${taxed.length} taxed items have the tax ${first.tax}, ${prices}; tax is an amount, not a rate.`;
  yield { code: 'TAX_LOOKS_LIKE_RATE', path: ['items', items.indexOf(first), 'tax'], message };
}

const minutesPerDay = 1440;

export const checkItemDetails: EntityCheck<'items'> = function* ({
  alcoholByVolume,
  dietaryLabels,
  preparationMinutes,
}) {
  if (typeof alcoholByVolume === 'number' && !(alcoholByVolume >= 0 && alcoholByVolume <= 100)) {
    const text = `has ${alcoholByVolume} per cent of alcohol, which lies outside 0 to 100`;
    yield { code: 'ALCOHOL_OUT_OF_RANGE', at: ['alcoholByVolume'], text };
  }
  if (typeof preparationMinutes === 'number' && (preparationMinutes < 0 || preparationMinutes > minutesPerDay)) {
    const length = preparationMinutes < 0 ? 'less than none' : 'more than a day';
    const text = `takes ${preparationMinutes} minutes to prepare, which is ${length}`;
    yield { code: 'ODD_PREP_TIME', at: ['preparationMinutes'], text };
  }
  if (dietaryLabels?.includes('VEGAN') && !dietaryLabels.includes('VEGETARIAN')) {
    const text = 'is labelled VEGAN but not VEGETARIAN, which vegan food is too';
    yield { code: 'VEGAN_NOT_VEGETARIAN', at: ['dietaryLabels'], text };
  }
};
