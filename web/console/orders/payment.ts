import type { PriceFormats } from '../../menu/price-formats.ts';
import type { Order } from './operations.ts';

type Money = Order['total'];
type State = Order['payments'][number]['state'];

const settled: ReadonlySet<State> = new Set(['PAID', 'AUTHORIZED', 'REFUNDED']);

/** What of the total the guest still has to pay. */
interface Payment {
  /** `given` if the order does not say what has become of a payment, `unknown` if it has none. */
  readonly state: 'paid' | 'collect' | 'given' | 'unknown';
  /** E.g. `Paid €23.40`, `Collect €23.40`. */
  readonly text: string;
}

export function paymentOf({ payments, total }: Order, { price }: PriceFormats): Payment {
  const text = price(total);
  if (payments.length === 0) return { state: 'unknown', text };
  const sumOf = (isCounted: (state: State) => boolean) =>
    payments.reduce((sum, { state, amount }) => sum + (isCounted(state) ? amount.amount : 0), 0);
  const open = total.amount - sumOf(state => state === null || settled.has(state));
  if (open > 0) return { state: 'collect', text: `Collect ${price(withAmount(total, open))}` };
  if (sumOf(state => state === null) === 0) return { state: 'paid', text: `Paid ${text}` };
  const methods = payments.flatMap(({ state, method }) => (state === null ? method : []));
  return { state: 'given', text: `${text} by ${[...new Set(methods)].join(', ')}` };
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
export function amountsOf(order: Order, formats: PriceFormats): readonly (readonly [name: string, text: string])[] {
  const { price, charges, discounts, tip, total, tax, payments } = order;
  const details: readonly (readonly [string, string])[] = [
    ...charges.map(({ name, amount }) => [name, formats.price(amount)] as const),
    ...discounts.map(({ name, amount }) => [name, `−${formats.price(amount)}`] as const),
    ...(tip ? [['Tip', formats.price(tip)] as const] : []),
  ];
  return [
    ...(details.length > 0 ? [['Items', formats.price(price)] as const] : []),
    ...details,
    ['Total', `${formats.price(total)} with ${formats.price(tax)} tax`],
    ...payments.map(({ method, state, amount }) => {
      return [`By ${method}`, `${formats.price(amount)}${state ? `, ${states[state]}` : ''}`] as const;
    }),
  ];
}
