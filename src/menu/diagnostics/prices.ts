import type { Finding, Path, Subject } from './subject.ts';
import { called } from './wording.ts';

interface Amounts {
  readonly price: number;
  readonly tax: number;
  /** `Item "Espresso"`; a function, because few amounts are spoken of. */
  readonly owner: () => string;
}

/** Amounts that contradict each other, within an entity or once the modifiers are added. */
export function* checkPrices(subject: Subject): Generator<Finding> {
  for (const [at, item] of subject.items.entries()) {
    const { price, tax } = item;
    if (price < 0) {
      const message = `Item ${called(item)} has the negative price ${price}.`;
      yield { code: 'NEGATIVE_PRICE', path: ['items', at, 'price'], message };
    }
    if (tax < 0) {
      const message = `Item ${called(item)} has the negative tax ${tax}.`;
      yield { code: 'NEGATIVE_TAX', path: ['items', at, 'tax'], message };
    }
    yield* checkTax({ price, tax, owner: () => `Item ${called(item)}` }, ['items', at, 'tax']);
  }
  for (const [at, modifierItem] of subject.modifierItems.entries()) {
    const { priceChange: price, taxChange: tax } = modifierItem;
    const owner = () => `Modifier item ${called(modifierItem)}`;
    yield* checkTax({ price, tax, owner }, ['modifierItems', at, 'taxChange']);
  }
  yield* checkTotals(subject);
}

function* checkTax({ price, tax, owner }: Amounts, path: Path): Generator<Finding> {
  if (price < 0 || tax <= price) return;
  if (price === 0) {
    yield { code: 'TAX_WITHOUT_PRICE', path, message: `${owner()} is taxed with ${tax} although it costs nothing.` };
  } else {
    const message = `${owner()} is taxed with ${tax}, which is more than its price of ${price}.`;
    yield { code: 'TAX_ABOVE_PRICE', path, message };
  }
}

function* checkTotals({ items, modifierGroups, categoriesOf }: Subject): Generator<Finding> {
  const changes = new Map(
    modifierGroups.map(group => {
      const prices = group.members.map(({ priceChange }) => priceChange);
      return [group, { lowest: lowestOf(prices), isCharged: prices.some(price => price > 0) }];
    }),
  );
  for (const [at, item] of items.entries()) {
    const path = ['items', at, 'price'] as const;
    const reducing = item.groups.find(group => item.price > 0 && item.price + (changes.get(group)?.lowest ?? 0) < 0);
    if (reducing) {
      const reduction = `the modifier group ${called(reducing)} can reduce that to less than nothing`;
      yield { code: 'PRICE_BELOW_ZERO', path, message: `Item ${called(item)} costs ${item.price}, but ${reduction}.` };
    }
    if (item.price !== 0 || !item.sellSeparately || !categoriesOf.has(item.externalId)) continue;
    if (item.groups.some(group => changes.get(group)?.isCharged)) continue;
    const message = `Item ${called(item)} costs nothing, and nothing that is chosen with it does.`;
    yield { code: 'FREE_ITEM', path, message };
  }
}

function lowestOf(numbers: readonly number[]): number {
  return numbers.reduce((lowest, number) => Math.min(lowest, number), 0);
}
