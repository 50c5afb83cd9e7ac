import { InvalidInput } from '@carte/base/errors';
import { maxErrors } from '@carte/base/validation';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Query, queryIn, retryTransaction } from '../database/query.ts';
import type { PlaceOrderInput } from '../generated/graph.ts';
import { knownTo } from '../menu/configuration.ts';
import type { Orderable } from '../menu/repository.ts';
import { type AccessScope, isOrderInScope, mayKnowOrder } from '../scope.ts';
import type { Store } from '../store/entities.ts';
import { createOrderId, type Order } from './entities.ts';
import { claimKey, deleteExpiredKeys, reused } from './idempotency.ts';
import { checkInput } from './input.ts';
import type { OrderProblem } from './problems.ts';
import { isTooLong, type Quote, quoteOrder } from './quote.ts';
import { findOrder, insertOrder } from './repository.ts';

export interface Placement {
  readonly input: PlaceOrderInput;
  readonly scope: AccessScope;
  /** Reads in a transaction what can be ordered; undefined if the store is gone. */
  readonly loadOrderable: (tx: EntityManager) => Promise<Orderable | undefined>;
  readonly guest?: GuestRules;
}

/** What the order of a guest has beside that of a POS (guests.ts). */
export interface GuestRules {
  readonly inputErrors: readonly OrderProblem[];
  /** The idempotency key as it is stored, apart from those of the store and of other keys. */
  readonly idempotencyKey: string;
  /** What the operator's check has seen: the order is that, or refused. */
  readonly checked: Quote | undefined;
  /** Runs in the transaction once the order can be placed. */
  readonly beforeInsert: (query: Query) => Promise<void>;
  readonly saveToken: (query: Query, orderId: string) => Promise<void>;
}

/**
 * Places an order in one transaction, and prices it by the store's current configuration, which one statement reads. Returns the order that
 * was placed before with the same idempotency key, or null if the store no longer exists. Throws `InvalidInput` with every reason.
 */
export async function placeOrder(
  em: EntityManager,
  store: Store,
  { input, scope, loadOrderable, guest }: Placement,
): Promise<Order | null> {
  const { keyId, keyName } = scope;
  const inputErrors = [...checkInput(input), ...(guest?.inputErrors ?? onlyForGuests(input))];
  if (isTooLong(inputErrors)) throw new InvalidInput(inputErrors.slice(0, maxErrors));
  return retryTransaction(() =>
    em.transactional(async tx => {
      const query = queryIn(tx);
      const createdAt = new Date();
      const id = createOrderId(createdAt);
      // An order with such errors was never placed, so nothing is stored under its key.
      if (inputErrors.length === 0) {
        const claimed = await claimKey(query, { storeId: store.id, input, orderId: id, key: guest?.idempotencyKey });
        if (!claimed) return null;
        const { orderId, isSame } = claimed;
        if (orderId !== id) {
          const known = await findOrder(query, tx, { id: orderId, storeId: store.id });
          if (known && isSame && isOrderInScope(scope, known)) {
            await guest?.saveToken(query, orderId);
            return { ...known, storeSummary: store };
          }
          const problem = known ? 'which differs from this one' : 'which was deleted';
          throw reused(
            input,
            !guest && mayKnowOrder(scope, known ?? {}) ? `order ${orderId}, ${problem}` : 'another order',
          );
        }
      }
      const orderable = await loadOrderable(tx);
      if (!orderable) return null;
      const { configuration: whole, ...state } = orderable;
      const circumstances = { store: { ...store, ...state }, configuration: knownTo(scope, whole), inputErrors };
      const checked = guest?.checked;
      // At the time of the check, so that the order is ready when it was then. The time is not checked before the key is known: a repeated call returns
      // its order, however late it is.
      const now = checked?.at ?? createdAt;
      const quote = quoteOrder(input, { ...circumstances, now, isForGuest: guest !== undefined, checked });
      if (quote.problems.length > 0 || !quote.order) throw new InvalidInput(quote.problems);
      const steps = [{ at: createdAt.toISOString(), status: 'PENDING' as const, ...(keyName && { by: keyName }) }];
      const placer = { placedBy: keyId ?? null, placedByGuest: guest !== undefined };
      const order = { ...newOrder(store, input), id, createdAt, steps, ...placer, ...quote.order };
      await deleteExpiredKeys(query, store.id);
      await guest?.beforeInsert(query);
      await guest?.saveToken(query, id);
      // Last, because it locks the store's revision of orders until the transaction ends.
      return insertOrder(query, tx, order);
    }),
  );
}

function* onlyForGuests({ verification }: PlaceOrderInput): Generator<OrderProblem> {
  if (verification == null) return;
  const message = 'is for orders of guests: those of a secret key are not checked';
  yield { path: ['input', 'verification'], type: 'value_error', message };
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
  revision: 0,
});
