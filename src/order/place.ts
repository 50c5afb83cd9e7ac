import type { EntityManager } from '@mikro-orm/postgresql';
import { queryIn, retryTransaction } from '../database/query.ts';
import { InvalidInput } from '../errors.ts';
import type { PlaceOrderInput } from '../generated/graph.ts';
import { maxErrors } from '../input/validation.ts';
import type { Orderable } from '../menu/repository.ts';
import type { Store } from '../store/entities.ts';
import { createOrderId, type Order } from './entities.ts';
import { claimKey, deleteExpiredKeys, reused } from './idempotency.ts';
import { checkInput } from './input.ts';
import { isTooLong, quoteOrder } from './quote.ts';
import { findOrder, insertOrder } from './repository.ts';

interface Placement {
  readonly input: PlaceOrderInput;
  /** The name of the API key. */
  readonly by: string | undefined;
  /** Reads in a transaction what can be ordered; undefined if the store is gone. */
  readonly loadOrderable: (tx: EntityManager) => Promise<Orderable | undefined>;
}

/**
 * Places an order in one transaction, and prices it by the store's current configuration, which one statement reads. Returns the order that
 * was placed before with the same idempotency key, or null if the store no longer exists. Throws `InvalidInput` with every reason.
 */
export async function placeOrder(
  em: EntityManager,
  store: Store,
  { input, by, loadOrderable }: Placement,
): Promise<Order | null> {
  const inputErrors = [...checkInput(input)];
  if (isTooLong(inputErrors)) throw new InvalidInput(inputErrors.slice(0, maxErrors));
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
      const orderable = await loadOrderable(tx);
      if (!orderable) return null;
      const { configuration, ...state } = orderable;
      // The time is not checked before the key is known: a repeated call returns its order, however late it is.
      const quote = quoteOrder(input, { store: { ...store, ...state }, configuration, now: createdAt, inputErrors });
      if (quote.problems.length > 0 || !quote.order) throw new InvalidInput(quote.problems);
      const steps = [{ at: createdAt.toISOString(), status: 'PENDING' as const, ...(by && { by }) }];
      const order = { ...newOrder(store, input), id, createdAt, steps, ...quote.order };
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
