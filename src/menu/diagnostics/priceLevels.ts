import type { Finding, LinkedItem, Subject } from './subject.ts';
import { called } from './wording.ts';

/** Wide enough for a bottle beside a glass; an amount in the wrong unit is off by about 100. */
const suspiciousFactor = 50;
/** With fewer prices to compare there is no telling which of them is odd. */
const fewestPrices = 4;

/** Amounts that only a look at the other items makes doubtful. */
export function* checkPriceLevels(subject: Subject): Generator<Finding> {
  yield* checkUnits(subject);
  yield* checkTaxes(subject);
}

/** Prices in the wrong unit: 4 or 40000 among 400s. An item in several categories is told once. */
function* checkUnits({ categories, items }: Subject): Generator<Finding> {
  const found = new Map<LinkedItem, string>();
  for (const category of categories) {
    const priced = category.listed.filter(({ price }) => price > 0);
    const median = medianOf(priced.map(({ price }) => price));
    if (median === undefined) continue;
    for (const item of priced) {
      const { price } = item;
      if (price < median * suspiciousFactor && price * suspiciousFactor > median) continue;
      const usual = `in category ${called(category)}, where half of the items cost at most ${median}`;
      const message = `Item ${called(item)} costs ${price} ${usual}; it may be in the wrong unit.`;
      if (!found.has(item)) found.set(item, message);
    }
  }
  if (found.size === 0) return;
  for (const [at, item] of items.entries()) {
    const message = found.get(item);
    if (message !== undefined) yield { code: 'PRICE_OUT_OF_LINE', path: ['items', at, 'price'], message };
  }
}

function medianOf(prices: readonly number[]): number | undefined {
  if (prices.length < fewestPrices) return undefined;
  return Float64Array.from(prices).sort()[Math.floor((prices.length - 1) / 2)];
}

/** The same tax at every price is a rate that was posted as an amount. */
function* checkTaxes({ items }: Subject): Generator<Finding> {
  const taxed = items.filter(({ price, tax }) => price > 0 && tax > 0);
  const [first] = taxed;
  if (!first || taxed.length <= fewestPrices || taxed.some(({ tax }) => tax !== first.tax)) return;
  const lowest = taxed.reduce((price, item) => Math.min(price, item.price), first.price);
  const highest = taxed.reduce((price, item) => Math.max(price, item.price), first.price);
  if (highest < 2 * lowest) return;
  const prices = `although they cost ${lowest} to ${highest}`;
  const message = `All ${taxed.length} taxed items have the tax ${first.tax}, ${prices}; tax is an amount, not a rate.`;
  yield { code: 'TAX_LOOKS_LIKE_RATE', path: ['items', items.indexOf(first), 'tax'], message };
}
