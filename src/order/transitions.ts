import { Conflict, InvalidInput, type ValidationError } from '@carte/base/errors';
import { checkLength, findUnstorable } from '@carte/base/validation';
import type { EntityManager } from '@mikro-orm/postgresql';
import { compileOnce, prepared, queryIn, retryTransaction } from '../database/query.ts';
import type { ChangeOrderStatusInput, OrderStatus } from '../generated/graph.ts';
import { type AccessScope, mayKnowOrder } from '../scope.ts';
import type { Order } from './entities.ts';
import { checkReadyBy } from './quote.ts';
import { findOrder, selectedColumns, toOrder } from './repository.ts';
import { isFinal, transitions } from './statuses.ts';

interface Change extends Omit<ChangeOrderStatusInput, 'orderId'> {
  readonly scope: AccessScope;
}

const reasonLength = { min: 0, max: 1000 };

/**
 * Changes the status of an order in one statement, and returns it as that statement leaves it; null if it no longer exists. Of two
 * concurrent changes from the same status or revision one succeeds, and the other is a `Conflict`.
 */
export async function changeOrderStatus(em: EntityManager, order: Order, change: Change): Promise<Order | null> {
  const { to, from, expectedRevision, reason, confirmedReadyBy, scope, idempotent } = change;
  const { keyName: by } = scope;
  const expected = from ?? order.status;
  const now = new Date();
  const isKnown = mayKnowOrder(scope, order);
  const impossible = checkTransition(expected, to, { isHidden: !isKnown && !from });
  const conflict = (message: string) => new Conflict(isKnown ? message : 'The order has another status.');
  const isStale = ({ revision }: Order) => expectedRevision != null && expectedRevision !== revision;
  const stale = () => new Conflict(`The order is no longer at revision ${expectedRevision}.`);
  const errors = [...(idempotent || isStale(order) ? [] : impossible), ...checkDetails(change, now)];
  if (errors.length > 0) throw new InvalidInput(errors);
  if (idempotent && order.status === to) return order;
  if (isStale(order)) throw stale();
  const isAnother = ({ status }: Order) => conflict(`The order is ${status}, not ${expected}.`);
  if (impossible.length > 0 && order.status !== expected) throw isAnother(order);
  if (impossible.length > 0) throw conflict(`The order is ${order.status}: ${impossible[0]?.message}.`);
  const step = {
    at: now,
    status: to,
    ...(by && { by }),
    ...(reason && { reason }),
    ...(confirmedReadyBy && { readyBy: confirmedReadyBy }),
  };
  const query = queryIn(em);
  const completedAt = isFinal(to) ? now : null;
  const values = [order.id, order.store, expected, to, completedAt, JSON.stringify(step), expectedRevision ?? null];
  const [row] = await retryTransaction(() => query<object>(changeStatement(em), values));
  if (row) return withStore(order, toOrder(em, row));
  const current = await findOrder(query, em, { id: order.id, storeId: order.store });
  if (!current || (idempotent && current.status === to)) return current ? withStore(order, current) : null;
  throw isStale(current) ? stale() : isAnother(current);
}

// The reason may be about a guest whose other data was emptied.
const changeStatement = compileOnce(em =>
  prepared(`
    update orders set status = $4, completed_at = coalesce($5::timestamptz, completed_at),
      steps = coalesce(steps, '[]') || $6::jsonb, anonymized_at = null
    where id = $1 and store_id = $2 and status = $3 and revision = coalesce($7, revision)
    returning ${selectedColumns(em)}`),
);

const withStore = ({ storeSummary }: Order, order: Order): Order => ({
  ...order,
  ...(storeSummary && { storeSummary }),
});

/** The status is hidden from a key that may not know it, and has not named it. */
function checkTransition(from: OrderStatus, to: OrderStatus, { isHidden = false }): ValidationError[] {
  const allowed = transitions[from];
  if (allowed.includes(to)) return [];
  const next = allowed.length > 0 ? `only ${listOf(allowed)}` : 'since it is completed';
  const message = isHidden
    ? `the order cannot become ${to} from its current status`
    : `an order that is ${from} cannot become ${to}, ${next}`;
  return [{ path: ['to'], type: 'invalid_transition', message }];
}

function* checkDetails({ reason, confirmedReadyBy }: Change, now: Date): Generator<ValidationError> {
  yield* findUnstorable({ reason, confirmedReadyBy });
  yield* checkLength(['reason'], reason, reasonLength);
  if (confirmedReadyBy) yield* checkReadyBy(['confirmedReadyBy'], confirmedReadyBy, now);
}

const listOf = (statuses: readonly OrderStatus[]) => `${statuses.slice(0, -1).join(', ')} or ${statuses.at(-1)}`;
