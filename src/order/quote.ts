import { isDeepStrictEqual } from 'node:util';
import { type ErrorPath, maxErrors } from '@carte/base/validation';
import type { PlaceOrderInput, QuoteOrderInput, StoreOrdering } from '../generated/graph.ts';
import type { Configuration } from '../menu/configuration.ts';
import type { Store } from '../store/entities.ts';
import { orderingAt } from '../store/ordering.ts';
import { resolveChoices } from './choices.ts';
import type { Order } from './entities.ts';
import { countCharacters, toItems } from './lines.ts';
import { type Amounts, type ChosenLine, priceOrder } from './price.ts';
import type { OrderProblem } from './problems.ts';
import { checkTotal, serviceOf, totalOf } from './service.ts';

const msPerMinute = 60_000;
const minutesPerDay = 1440;
/** Allows for clocks that differ, and for orders that were delayed on their way. */
const maxMinutesLate = 60;
/** Far more than any real order has: a menu may have names of megabytes. */
const maxCharacters = 300_000;

/** What an order would be: `placeOrder` stores it, and `quoteOrder` returns it. */
export interface Quote {
  /** Undefined if a problem leaves open what is ordered. */
  readonly order: Pick<Order, 'items' | 'price' | 'tax' | 'readyBy' | 'serviceType' | 'service'> | undefined;
  readonly problems: readonly OrderProblem[];
  /** The time of the quote: what is ordered without `readyBy` is ready so long after it. */
  readonly at: Date;
}

export interface OrderQuote extends Quote {
  readonly store: Store;
}

/** What a quote depends on besides its input. */
interface Circumstances {
  readonly store: Store;
  readonly configuration: Configuration;
  readonly now: Date;
  /** The errors of the input by `input.ts`. */
  readonly inputErrors: readonly OrderProblem[];
  /** Whether a guest orders. */
  readonly isForGuest?: boolean;
  /** What the order must be. */
  readonly checked?: Quote | undefined;
}

type QuotedInput = QuoteOrderInput & Pick<PlaceOrderInput, 'expectedTotal'>;

/** Whether a list is longer than allowed: then nothing else is checked, which bounds the work for an order of any length. */
export const isTooLong = (errors: readonly OrderProblem[]): boolean => errors.some(({ type }) => type === 'too_long');

/** Checks an order by the rules of a configuration, and prices it. */
export function quoteOrder(
  input: QuotedInput,
  { store, configuration, now, inputErrors, isForGuest = false, checked }: Circumstances,
): Quote {
  if (isTooLong(inputErrors)) return { order: undefined, problems: inputErrors.slice(0, maxErrors), at: now };
  const ordering = orderingAt(store, now);
  const readyBy = input.readyBy ?? readyAfter(now, configuration, input, ordering);
  const { lines, isComplete, errors } = resolveChoices(configuration, input.lines, { readyBy, store });
  const amounts = priceOrder(lines);
  const order = {
    items: toItems(lines),
    price: Number(amounts.price),
    tax: Number(amounts.tax),
    readyBy,
    serviceType: input.serviceType ?? null,
    service: serviceOf(input),
  };
  const amountErrors = isComplete ? [...checkTexts(lines), ...checkSums(amounts, order)] : [];
  const stateErrors = [
    ...checkReadyBy(['input', 'readyBy'], readyBy, now),
    ...checkOrdering(ordering, input, now, isForGuest),
  ];
  const isPriced = isComplete && inputErrors.length === 0 && amountErrors.length === 0;
  const changes = isPriced ? [...checkExpected(order, input, checked)] : [];
  const problems = [...inputErrors, ...stateErrors, ...errors, ...amountErrors, ...changes];
  return { order: isPriced ? order : undefined, problems: problems.slice(0, maxErrors), at: now };
}

/**
 * The time after the longest preparation of the ordered items, or that of the store if none has one, and the delay of a busy store; a preparation
 * of more than a day, which is diagnosed, counts as one.
 */
function readyAfter(
  now: Date,
  { items }: Configuration,
  { lines }: QuoteOrderInput,
  { delayMinutes, preparationMinutes }: StoreOrdering,
): Date {
  const prepTimes = lines.flatMap(({ itemExternalId }) => items.get(itemExternalId)?.preparationMinutes ?? []);
  const longest = prepTimes.length > 0 ? Math.min(Math.max(0, ...prepTimes), minutesPerDay) : preparationMinutes;
  return addMinutes(now, longest + (delayMinutes ?? 0));
}

export const addMinutes = (time: Date, minutes: number) => new Date(time.getTime() + minutes * msPerMinute);

/** A store that is paused takes no order, and one that is busy none that must be ready before its delay is over. */
function* checkOrdering(
  { state, until, delayMinutes, reason, acceptsGuestOrders }: StoreOrdering,
  { readyBy }: QuoteOrderInput,
  now: Date,
  isForGuest: boolean,
): Generator<OrderProblem> {
  const because = reason ? ` (${reason})` : '';
  if (state === 'PAUSED') {
    const end = until ? `until ${until.toISOString()}` : 'for now';
    yield { path: ['input', 'storeId'], type: 'store_paused', message: `the store takes no orders ${end}${because}` };
  }
  if (isForGuest && !acceptsGuestOrders) {
    const message = 'the store takes no orders of guests for now';
    yield { path: ['input', 'storeId'], type: 'store_paused', message };
  }
  const earliest = addMinutes(now, delayMinutes ?? 0);
  if (state === 'BUSY' && readyBy && readyBy < earliest) {
    const rule = `the store is busy${because} and delays orders by ${delayMinutes} minutes, so it must be ${earliest.toISOString()} or later`;
    yield { path: ['input', 'readyBy'], type: 'store_busy', message: `${readyBy.toISOString()} is too early; ${rule}` };
  }
}

export function* checkReadyBy(path: ErrorPath, readyBy: Date, now: Date): Generator<OrderProblem> {
  const earliest = addMinutes(now, -maxMinutesLate);
  if (readyBy >= earliest) return;
  const rule = `it must be at most an hour in the past, so ${earliest.toISOString()} or later`;
  yield { path, type: 'value_error', message: `${readyBy.toISOString()} is too early; ${rule}` };
}

function* checkTexts(lines: readonly ChosenLine[]): Generator<OrderProblem> {
  const count = countCharacters(lines);
  if (count <= maxCharacters) return;
  const message = `the names, external ids and notes of all lines have ${count} characters; at most ${maxCharacters} are allowed`;
  yield { path: ['input', 'lines'], type: 'string_too_long', message };
}

function* checkSums(amounts: Amounts, order: Pick<Order, 'price' | 'service'>): Generator<OrderProblem> {
  const unsafe = Object.entries(amounts).filter(([, amount]) => !Number.isSafeInteger(Number(amount)));
  for (const [name, amount] of unsafe) {
    yield { path: ['input', 'lines'], type: 'value_error', message: `the ${name} is ${amount}, beyond ±(2^53−1)` };
  }
  if (unsafe.length === 0) yield* checkTotal(order, ['input', 'discounts']);
}

/** The total that the caller has stated, and all that was checked: also the time, and what the lines are called. */
function* checkExpected(
  order: NonNullable<Quote['order']>,
  { expectedTotal }: QuotedInput,
  checked: Quote | undefined,
): Generator<OrderProblem> {
  const type = 'quote_changed';
  const total = totalOf(order);
  if (expectedTotal != null && total !== BigInt(expectedTotal)) {
    const message = `the total is ${total}, not ${expectedTotal} as expected`;
    yield { path: ['input', 'expectedTotal'], type, message };
  }
  if (!checked?.order || isDeepStrictEqual(order, checked.order)) return;
  const totalBefore = totalOf(checked.order);
  const change =
    total === totalBefore ? `, at the same total of ${total}` : `: the total is ${total}, not ${totalBefore}`;
  yield { path: ['input'], type, message: `the order has changed while it was checked${change}` };
}
