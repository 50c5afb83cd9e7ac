import { checkCount, checkLength, checkRange, type ErrorPath } from '@carte/base/validation';
import type { OrderAdjustmentInput, OrderPaymentInput, OrderStatus, QuoteOrderInput } from '../generated/graph.ts';
import type { Order } from './entities.ts';
import type { AmountOwner } from './lines.ts';
import type { OrderProblem } from './problems.ts';

/** What an order has besides its lines, stored as it was given; absent where it was not. */
export type OrderService = Pick<QuoteOrderInput, 'table' | 'address' | 'payments' | 'charges' | 'discounts' | 'tip'>;

// As the descriptions in schema/order.graphql state them.
const nameLength = { min: 1, max: 255 };
const shortLength = { min: 0, max: 255 };
const noteLength = { min: 0, max: 1000 };
const elementCount = { min: 0, max: 20 };
const amountRange = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** Takes what belongs to the service from an input; null if nothing does. */
export function serviceOf({ table, address, payments, charges, discounts, tip }: OrderService): OrderService | null {
  const given = Object.entries({ table, address, payments, charges, discounts, tip }).filter(
    ([, value]) => value != null,
  );
  return given.length > 0 ? Object.fromEntries(given) : null;
}

interface Owned {
  readonly owner: AmountOwner;
}
export type OrderPayment = OrderPaymentInput & Owned;
export type OrderAdjustment = OrderAdjustmentInput & Owned;

/** Payments or adjustments of an order, each with what tells its currency. */
export const withOwner = <Element extends OrderPaymentInput | OrderAdjustmentInput>(
  owner: AmountOwner,
  list: readonly Element[] | null | undefined,
): readonly (Element & Owned)[] => (list ?? []).map(element => ({ ...element, owner }));

/** The price of the lines with charges and tip, and without discounts. Exact, since the sum of safe integers need not be safe. */
export function totalOf({ price, service }: Pick<Order, 'price' | 'service'>): bigint {
  const sum = (list: readonly OrderAdjustmentInput[] | null | undefined) =>
    (list ?? []).reduce((total, { amount }) => total + BigInt(amount), 0n);
  return BigInt(price) + sum(service?.charges) - sum(service?.discounts) + BigInt(service?.tip ?? 0);
}

/** Checks the amounts, each of which is at least zero. */
export function* checkAmounts(
  { payments, charges, discounts, tip }: OrderService,
  path: ErrorPath = [],
): Generator<OrderProblem> {
  for (const [name, list] of Object.entries({ payments, charges, discounts })) {
    for (const [index, element] of (list ?? []).entries()) {
      yield* checkRange([...path, name, index, 'amount'], element.amount, amountRange);
      if ('tax' in element) yield* checkRange([...path, name, index, 'tax'], element.tax ?? 0, amountRange);
    }
  }
  yield* checkRange([...path, 'tip'], tip ?? 0, amountRange);
}

export function* checkTotal(order: Pick<Order, 'price' | 'service'>, path: ErrorPath = []): Generator<OrderProblem> {
  const total = totalOf(order);
  // Without a discount it is the price that is below zero, as that of an imported order may be.
  const isBelowZero = total < 0n && (order.service?.discounts?.length ?? 0) > 0;
  if (!isBelowZero && Number.isSafeInteger(Number(total))) return;
  const rule = isBelowZero ? 'it must be at least 0' : 'it must be at most 2^53−1';
  yield { path, type: 'value_error', message: `the total is ${total}; ${rule}` };
}

export function* checkService(service: OrderService, path: ErrorPath): Generator<OrderProblem> {
  const { table, address, payments, charges, discounts } = service;
  yield* checkLength([...path, 'table'], table, nameLength);
  for (const [name, text] of Object.entries(address ?? {})) {
    yield* checkLength([...path, 'address', name], text, name === 'note' ? noteLength : shortLength);
  }
  for (const [name, list] of Object.entries({ payments, charges, discounts })) {
    yield* checkCount([...path, name], list?.length ?? 0, elementCount);
    for (const [index, element] of (list ?? []).entries()) {
      const own = [...path, name, index];
      if ('name' in element) yield* checkLength([...own, 'name'], element.name, nameLength);
      if ('method' in element) yield* checkLength([...own, 'method'], element.method, nameLength);
      if ('reference' in element) yield* checkLength([...own, 'reference'], element.reference, shortLength);
    }
  }
  yield* checkAmounts(service, path);
}

/** A change of an order's status, as it is stored: times are RFC 3339. */
export interface OrderStep {
  readonly at: string;
  readonly status: OrderStatus;
  /** The name of the API key; absent if there was none. */
  readonly by?: string | null;
  readonly reason?: string | null;
  /** The time at which the store has said that the order will be ready. */
  readonly readyBy?: string | null;
}

/** The reason of the current status; null if there is none, or if the status was set otherwise since, e.g. by an import. */
export function statusReasonOf({ status, steps }: Pick<Order, 'status' | 'steps'>): string | null {
  const last = steps?.at(-1);
  return last?.status === status ? (last.reason ?? null) : null;
}

export function confirmedReadyByOf({ steps }: Pick<Order, 'steps'>): Date | null {
  const confirmed = steps?.findLast(({ readyBy }) => readyBy != null)?.readyBy;
  return confirmed == null ? null : new Date(confirmed);
}
