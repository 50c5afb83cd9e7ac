import { isPause } from '../../scheduling/time-slice.ts';
import type { Finding, Findings, LinkedItem, Path, ValidationContext } from './context.ts';
import { createLowestPrices } from './lowest-price.ts';
import { displayName, type Named } from './messages.ts';

/** Checks prices and taxes of single entities, and the totals of items with their modifiers. */
export function* checkPrices(context: ValidationContext): Findings {
  for (const [index, item] of context.items.entries()) {
    if (isPause(index)) yield;
    const { price, tax } = item;
    if (price < 0) {
      const message = `Item ${displayName(item)} has the negative price ${price}.`;
      yield { code: 'NEGATIVE_PRICE', path: ['items', index, 'price'], message };
    }
    if (tax < 0) {
      const message = `Item ${displayName(item)} has the negative tax ${tax}.`;
      yield { code: 'NEGATIVE_TAX', path: ['items', index, 'tax'], message };
    }
    if (isTaxTooHigh(price, tax)) yield taxFinding({ noun: 'Item', entity: item, price, tax }, ['items', index, 'tax']);
  }
  for (const [index, entity] of context.modifierItems.entries()) {
    if (isPause(index)) yield;
    const { priceChange: price, taxChange: tax } = entity;
    if (!isTaxTooHigh(price, tax)) continue;
    yield taxFinding({ noun: 'Modifier item', entity, price, tax }, ['modifierItems', index, 'taxChange']);
  }
  yield* checkTotals(context);
}

const isTaxTooHigh = (price: number, tax: number) => price >= 0 && tax > price;

interface TaxedEntity {
  readonly noun: string;
  readonly entity: Named;
  readonly price: number;
  readonly tax: number;
}

function taxFinding({ noun, entity, price, tax }: TaxedEntity, path: Path): Finding {
  const taxed = `${noun} ${displayName(entity)} is taxed with ${tax}`;
  if (price === 0) return { code: 'TAX_WITHOUT_PRICE', path, message: `${taxed} although it costs nothing.` };
  return { code: 'TAX_ABOVE_PRICE', path, message: `${taxed}, which is more than its price of ${price}.` };
}

function* checkTotals({ items, modifierGroups, categoryCounts }: ValidationContext): Findings {
  const lowestPriceOf = createLowestPrices();
  const changes = new Map(
    modifierGroups.map(group => {
      const prices = group.modifierItems.map(({ priceChange }) => priceChange);
      return [group, { isReduced: prices.some(price => price < 0), isCharged: prices.some(price => price > 0) }];
    }),
  );
  for (const [index, item] of items.entries()) {
    if (isPause(index)) yield;
    const { price, modifierGroups: groups } = item;
    const path: Path = ['items', index, 'price'];
    if (price >= 0 && groups.some(group => changes.get(group)?.isReduced)) {
      const { price: lowest, group } = lowestPriceOf(item);
      if (lowest < 0 && group) {
        const reduction = `the modifiers, most of all those of group ${displayName(group)}, can reduce that to ${lowest}`;
        const message = `Item ${displayName(item)} costs ${price}, but ${reduction}; such an order is refused.`;
        yield { code: 'PRICE_BELOW_ZERO', path, message };
      }
    }
    if (price !== 0 || !item.sellSeparately || !categoryCounts.has(item.externalId)) continue;
    if (groups.some(group => changes.get(group)?.isCharged)) continue;
    const message = `Item ${displayName(item)} costs nothing, and nothing that is chosen with it does.`;
    yield { code: 'FREE_ITEM', path, message };
  }
}

/** Wide enough for a bottle next to a glass; an amount in the wrong unit is off by about 100. */
const outlierFactor = 50;
/** Fewer prices do not determine which of them is the outlier. */
const minPrices = 4;

/** Compares the prices and taxes of items with each other. */
export function* checkPriceOutliers(context: ValidationContext): Findings {
  yield* checkPriceUnits(context);
  yield* checkTaxRates(context);
}

/** Finds prices in the wrong unit, such as 4 or 40000 among 400s; reports an item in several categories once. */
function* checkPriceUnits({ categories, items }: ValidationContext): Findings {
  const messages = new Map<LinkedItem, string>();
  for (const category of categories) {
    yield;
    const priced = category.items.filter(({ price }) => price > 0);
    if (priced.length < minPrices) continue;
    const median = medianOf(priced.map(({ price }) => price));
    for (const item of priced) {
      const { price } = item;
      if (messages.has(item) || (price < median * outlierFactor && price * outlierFactor > median)) continue;
      const usual = `in category ${displayName(category)}, where half of the items cost at most ${median}`;
      messages.set(item, `Item ${displayName(item)} costs ${price} ${usual}; it may be in the wrong unit.`);
    }
  }
  if (messages.size === 0) return;
  for (const [index, item] of items.entries()) {
    const message = messages.get(item);
    if (message !== undefined) yield { code: 'PRICE_OUT_OF_LINE', path: ['items', index, 'price'], message };
  }
}

function medianOf(prices: readonly number[]): number {
  return Float64Array.from(prices).sort()[Math.floor((prices.length - 1) / 2)] ?? 0;
}

/** Finds rates that were posted as amounts: the same tax at every price. */
function* checkTaxRates({ items }: ValidationContext): Findings {
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

/** Checks alcohol content, preparation time and dietary labels. */
export function* checkItemDetails({ items }: ValidationContext): Findings {
  for (const [index, item] of items.entries()) {
    if (isPause(index)) yield;
    const { alcoholByVolume, dietaryLabels, prepTime } = item;
    if (typeof alcoholByVolume === 'number' && !(alcoholByVolume >= 0 && alcoholByVolume <= 100)) {
      const problem = `has ${alcoholByVolume} per cent of alcohol, which lies outside 0 to 100`;
      const path: Path = ['items', index, 'alcoholByVolume'];
      yield { code: 'ALCOHOL_OUT_OF_RANGE', path, message: `Item ${displayName(item)} ${problem}.` };
    }
    if (typeof prepTime === 'number' && (prepTime < 0 || prepTime > minutesPerDay)) {
      const length = prepTime < 0 ? 'less than none' : 'more than a day';
      const message = `Item ${displayName(item)} takes ${prepTime} minutes to prepare, which is ${length}.`;
      yield { code: 'ODD_PREP_TIME', path: ['items', index, 'prepTime'], message };
    }
    if (dietaryLabels?.includes('VEGAN') && !dietaryLabels.includes('VEGETARIAN')) {
      const message = `Item ${displayName(item)} is labelled VEGAN but not VEGETARIAN, which vegan food is too.`;
      yield { code: 'VEGAN_NOT_VEGETARIAN', path: ['items', index, 'dietaryLabels'], message };
    }
  }
}
