import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { checkCount } from '@carte/base/validation';
import type { EntityManager } from '@mikro-orm/postgresql';
import { prepared, queryIn, retryTransaction } from '../database/query.ts';
import type { MarkOrdersInput } from '../generated/graph.ts';
import type { Order } from './entities.ts';

type Marks = Pick<MarkOrdersInput, 'isRead' | 'inPos'>;

const maxOrders = 500;

/** Throws `InvalidInput` unless there are orders, not too many, and something to mark them with. */
export function checkMarks(orderIds: readonly string[], { isRead, inPos }: Marks): void {
  const errors: ValidationError[] = [];
  const path = ['orderIds'];
  if (orderIds.length === 0) errors.push({ path, type: 'too_short', message: 'the list is empty; give at least 1 id' });
  errors.push(...checkCount(path, orderIds.length, { min: 0, max: maxOrders }));
  if (isRead == null && inPos == null) {
    errors.push({ path: ['isRead'], type: 'missing', message: 'isRead and inPos are both missing; give at least one' });
  }
  if (errors.length > 0) throw new InvalidInput(errors);
}

/** Returns the orders, or throws `InvalidInput` that names each id without one in scope or, if given, of the store. */
export function requireOrders(
  orderIds: readonly string[],
  found: readonly (Order | null)[],
  storeId?: string | null,
): Order[] {
  const where = storeId == null ? 'in the scope of the API key' : `of the store ${JSON.stringify(storeId)}`;
  const errors = orderIds.flatMap((id, index): ValidationError[] => {
    const order = found[index];
    if (order && (storeId == null || order.store === storeId)) return [];
    const message = `no order with the id ${JSON.stringify(id)} is ${where}`;
    return [{ path: ['orderIds', index], type: 'reference_not_found', message }];
  });
  if (errors.length > 0) throw new InvalidInput(errors);
  return found.filter(order => order !== null);
}

/** Marks orders in one statement. Those that have the marks already are left alone, so that no revision increases without a change. */
export async function markOrders(em: EntityManager, orders: readonly Order[], { isRead, inPos }: Marks): Promise<void> {
  const values = [orders.map(({ id }) => id), isRead ?? null, inPos ?? null];
  await retryTransaction(() => queryIn(em)(markStatement, values));
}

// Locks in the order of the ids, so that two calls do not wait for each other.
const markStatement = prepared(`
  update orders set is_read = coalesce($2::boolean, is_read), in_pos = coalesce($3::boolean, in_pos)
  where id in (
    select id from orders
    where id = any($1) and (is_read, in_pos) is distinct from (coalesce($2, is_read), coalesce($3, in_pos))
    order by id for update
  )`);
