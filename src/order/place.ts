import type { EntityManager } from '@mikro-orm/postgresql';
import { queryIn, retryTransaction } from '../database/transaction.ts';
import { InvalidInput, type ValidationError } from '../errors.ts';
import type { PlaceOrderInput } from '../generated/graph.ts';
import { maxErrors } from '../input/validation-errors.ts';
import type { Configuration } from '../menu/configuration.ts';
import type { Store } from '../store/entities.ts';
import { resolveChoices } from './choices.ts';
import { createOrderId, type Order } from './entities.ts';
import { claimKey, deleteExpiredKeys, reused } from './idempotency.ts';
import { checkInput } from './input.ts';
import { toItems } from './lines.ts';
import { type ChosenLine, priceOrder } from './price.ts';
import { findOrder, insertOrder } from './rows.ts';

const msPerMinute = 60_000;
const minutesPerDay = 1440;
/** Allows for clocks that differ, and for orders that were delayed on their way. */
const maxMinutesLate = 60;

interface Placement {
  readonly input: PlaceOrderInput;
  /** Reads the store's configuration in a transaction; undefined if the store is gone. */
  readonly loadConfiguration: (tx: EntityManager) => Promise<Configuration | undefined>;
}

/**
 * Places an order in one transaction, and prices it by the store's current configuration, which one statement reads. Returns the order that
 * was placed before with the same idempotency key, or null if the store no longer exists. Throws `InvalidInput` with every reason.
 */
export async function placeOrder(
  em: EntityManager,
  store: Store,
  { input, loadConfiguration }: Placement,
): Promise<Order | null> {
  const inputErrors = [...checkInput(input)];
  // Bounds the work for an order of any length.
  if (inputErrors.some(({ type }) => type === 'too_long')) throw new InvalidInput(inputErrors.slice(0, maxErrors));
  return retryTransaction(() =>
    em.transactional(async tx => {
      const query = queryIn(tx);
      const createdAt = new Date();
      const id = createOrderId(createdAt);
      // An order with such errors was never placed, so nothing is stored under its key.
      if (inputErrors.length === 0) {
        const knownId = await claimKey(query, { storeId: store.id, input, orderId: id });
        if (knownId === undefined) return null;
        if (knownId !== id) {
          const known = await findOrder(query, tx, { id: knownId, storeId: store.id });
          if (!known) throw reused(input, `order ${knownId}, which was deleted`);
          return { ...known, storeSummary: store };
        }
      }
      const configuration = await loadConfiguration(tx);
      if (!configuration) return null;
      const readyBy = input.readyBy ?? readyAfter(createdAt, configuration, input);
      const order = {
        ...newOrder(store, input),
        id,
        createdAt,
        readyBy,
        ...priceChoices(configuration, input, {
          readyBy,
          timezone: store.timezone,
          // Not before the key is known: a repeated call returns its order, however late it is.
          inputErrors: [...inputErrors, ...checkReadyBy(readyBy, createdAt)],
        }),
      };
      await deleteExpiredKeys(query, store.id);
      // Last, because it locks the store's revision of orders until the transaction ends.
      await insertOrder(query, tx, order);
      return order;
    }),
  );
}

const newOrder = (store: Store, { customer, customerComments }: PlaceOrderInput) => ({
  store: store.id,
  storeSummary: store,
  status: 'PENDING' as const,
  customerName: customer.name,
  customerPhone: customer.phone,
  isRead: false,
  inPos: false,
  customerComments: customerComments ?? null,
  completedAt: null,
});

/** The time after the longest preparation of the ordered items; a preparation of more than a day, which is diagnosed, counts as one. */
function readyAfter(createdAt: Date, { items }: Configuration, { lines }: PlaceOrderInput): Date {
  const prepTimes = lines.map(({ itemExternalId }) => items.get(itemExternalId)?.prepTime ?? 0);
  const longest = Math.min(Math.max(0, ...prepTimes), minutesPerDay);
  return new Date(createdAt.getTime() + longest * msPerMinute);
}

function* checkReadyBy(readyBy: Date, now: Date): Generator<ValidationError> {
  const earliest = new Date(now.getTime() - maxMinutesLate * msPerMinute);
  if (readyBy >= earliest) return;
  const rule = `it must be at most an hour in the past, so ${earliest.toISOString()} or later`;
  yield { path: ['input', 'readyBy'], type: 'value_error', message: `${readyBy.toISOString()} is too early; ${rule}` };
}

interface Circumstances {
  readonly readyBy: Date;
  readonly timezone: Store['timezone'];
  readonly inputErrors: readonly ValidationError[];
}

/** Throws unless everything can be ordered. */
function priceChoices(
  configuration: Configuration,
  input: PlaceOrderInput,
  { inputErrors, ...moment }: Circumstances,
): Pick<Order, 'price' | 'tax' | 'items'> {
  const { lines, errors } = resolveChoices(configuration, input.lines, moment);
  const all = [...inputErrors, ...errors];
  if (all.length > 0) throw new InvalidInput(all.slice(0, maxErrors));
  return { ...totalOf(lines), items: toItems(lines) };
}

function totalOf(lines: readonly ChosenLine[]): Pick<Order, 'price' | 'tax'> {
  const { price, tax } = priceOrder(lines);
  const errors = Object.entries({ price, tax }).flatMap(([name, amount]): ValidationError[] => {
    if (Number.isSafeInteger(Number(amount))) return [];
    return [{ path: ['input', 'lines'], type: 'value_error', message: `the ${name} is ${amount}, beyond ±(2^53−1)` }];
  });
  if (errors.length > 0) throw new InvalidInput(errors);
  return { price: Number(price), tax: Number(tax) };
}
