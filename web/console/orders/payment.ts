import type { PriceFormats } from '../../menu/price-formats.ts';
import type { Order } from './operations.ts';

type Money = Order['totalMoney'];
type State = Order['payments'][number]['state'];

const settled: ReadonlySet<State> = new Set(['PAID', 'AUTHORIZED', 'REFUNDED']);

/** What of the total the guest still has to pay. */
interface Payment {
  /** `given` if the order does not say what has become of a payment, `unknown` if it has none. */
  readonly state: 'paid' | 'collect' | 'given' | 'unknown';
  /** E.g. `Paid €23.40`, `Collect €23.40`. */
  readonly text: string;
}

export function paymentOf({ payments, totalMoney }: Order, { price }: PriceFormats): Payment {
  const total = price(totalMoney);
  if (payments.length === 0) return { state: 'unknown', text: total };
  const sumOf = (isCounted: (state: State) => boolean) =>
    payments.reduce((sum, { state, amountMoney }) => sum + (isCounted(state) ? amountMoney.amount : 0), 0);
  const open = totalMoney.amount - sumOf(state => state === null || settled.has(state));
  if (open > 0) return { state: 'collect', text: `Collect ${price(withAmount(totalMoney, open))}` };
  if (sumOf(state => state === null) === 0) return { state: 'paid', text: `Paid ${total}` };
  const methods = payments.flatMap(({ state, method }) => (state === null ? method : []));
  return { state: 'given', text: `${total} by ${[...new Set(methods)].join(', ')}` };
}

/** Another amount in the same currency. */
function withAmount({ decimal }: Money, amount: number): Money {
  const digits = decimal?.split('.')[1]?.length ?? 0;
  return { amount, decimal: decimal === null ? null : (amount / 10 ** digits).toFixed(digits) };
}

const states: Readonly<Record<NonNullable<State>, string>> = {
  PENDING: 'to be collected',
  AUTHORIZED: 'authorized',
  PAID: 'paid',
  FAILED: 'failed',
  REFUNDED: 'paid back',
};

/** The amounts that lead to the total, and what was paid, by name. */
export function amountsOf(order: Order, { price }: PriceFormats): readonly (readonly [name: string, text: string])[] {
  const { priceMoney, charges, discounts, tipMoney, totalMoney, taxMoney, payments } = order;
  const details: readonly (readonly [string, string])[] = [
    ...charges.map(({ name, amountMoney }) => [name, price(amountMoney)] as const),
    ...discounts.map(({ name, amountMoney }) => [name, `−${price(amountMoney)}`] as const),
    ...(tipMoney ? [['Tip', price(tipMoney)] as const] : []),
  ];
  return [
    ...(details.length > 0 ? [['Items', price(priceMoney)] as const] : []),
    ...details,
    ['Total', `${price(totalMoney)} with ${price(taxMoney)} tax`],
    ...payments.map(({ method, state, amountMoney }) => {
      return [`By ${method}`, `${price(amountMoney)}${state ? `, ${states[state]}` : ''}`] as const;
    }),
  ];
}
