import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { checkLength, findUnstorable } from '@carte/base/validation';
import type { EntityManager } from '@mikro-orm/postgresql';
import { advisoryLocks } from '../database/advisory-locks.ts';
import { prepared, queryIn, retryTransaction } from '../database/query.ts';
import type { SetStoreOrderingInput, StoreOrdering } from '../generated/graph.ts';
import type { Store, StoredOrdering } from './entities.ts';

type Settings = 'guestOrders' | 'preparationMinutes';
const open: Omit<StoreOrdering, 'acceptsGuestOrders' | 'preparationMinutes'> = {
  state: 'OPEN',
  until: null,
  delayMinutes: null,
  reason: null,
};
const maxDelayMinutes = 1440;
const reasonLength = { min: 0, max: 255 };

/** How a store takes orders at a time. What has ended by then counts as ended, also if nothing has noticed it yet. */
export function orderingAt(
  { ordering, guestOrders, preparationMinutes }: Pick<Store, 'ordering' | Settings>,
  now: Date,
): StoreOrdering {
  const settings = { acceptsGuestOrders: guestOrders, preparationMinutes };
  if (!ordering) return { ...open, ...settings };
  const until = ordering.until === undefined ? null : new Date(ordering.until);
  if (until && until <= now) return { ...open, ...settings };
  return { ...open, ...ordering, until, ...settings };
}

type OrderingChange = Omit<SetStoreOrderingInput, 'storeId'>;

/** Changes how a store takes orders; false if it no longer exists. Throws `InvalidInput` with every error. */
export async function setStoreOrdering(em: EntityManager, store: Store, change: OrderingChange): Promise<boolean> {
  const errors = [...checkChange(change, new Date())];
  if (errors.length > 0) throw new InvalidInput(errors);
  const ordering = toStored(change);
  return retryTransaction(() =>
    em.transactional(async tx => {
      const query = queryIn(tx);
      await query(waitForOrders, [store.id]);
      const { state, acceptsGuestOrders, preparationMinutes } = change;
      const isStateGiven = state != null;
      const values = [
        store.id,
        ordering && JSON.stringify(ordering),
        ordering?.until ?? null,
        isStateGiven,
        acceptsGuestOrders ?? null,
        preparationMinutes ?? null,
      ];
      return (await query(changeStatement, values)).length > 0;
    }),
  );
}

function* checkChange(
  { state, acceptsGuestOrders, preparationMinutes, until, delayMinutes, reason }: OrderingChange,
  now: Date,
): Generator<ValidationError> {
  yield* findUnstorable({ until, reason });
  if (state == null && acceptsGuestOrders == null && preparationMinutes == null) {
    const message = 'state, acceptsGuestOrders and preparationMinutes are all missing; give at least one';
    yield { path: ['state'], type: 'missing', message };
  }
  if (state == null || state === 'OPEN') {
    const given = Object.entries({ until, reason }).filter(([, value]) => value != null);
    const which = state == null ? 'a change without a state' : 'a store that is OPEN';
    for (const [name] of given) yield { path: [name], type: 'value_error', message: `${which} has no ${name}` };
  }
  if (until && until <= now) {
    const message = `${until.toISOString()} is not in the future; it is ${now.toISOString()} now`;
    yield { path: ['until'], type: 'value_error', message };
  }
  if (state !== 'BUSY' && delayMinutes != null) {
    const message = `only a store that is BUSY has a delay, not ${state ?? 'a change without a state'}`;
    yield { path: ['delayMinutes'], type: 'value_error', message };
  }
  if (state === 'BUSY' && !(delayMinutes && delayMinutes >= 1 && delayMinutes <= maxDelayMinutes)) {
    const message = `a store that is BUSY needs a delay of 1 to ${maxDelayMinutes} minutes, not ${delayMinutes ?? 'none'}`;
    yield { path: ['delayMinutes'], type: 'value_error', message };
  }
  if (preparationMinutes != null && !(preparationMinutes >= 0 && preparationMinutes <= maxDelayMinutes)) {
    const message = `${preparationMinutes} is not a number of minutes from 0 to ${maxDelayMinutes}`;
    yield { path: ['preparationMinutes'], type: 'value_error', message };
  }
  yield* checkLength(['reason'], reason, reasonLength);
}

function toStored({ state, until, delayMinutes, reason }: OrderingChange): StoredOrdering | null {
  if (state == null || state === 'OPEN') return null;
  return {
    state,
    ...(until && { until: until.toISOString() }),
    ...(delayMinutes && { delayMinutes }),
    ...(reason && { reason }),
  };
}

/**
 * SQL that keeps the state of a store as it is until the transaction ends. Not a lock of its row, for which a change would have to wait
 * until there is a moment without orders: here, orders that come later wait for a change that waits.
 */
export const holdOrdering = (storeId: string) =>
  `pg_advisory_xact_lock_shared(${advisoryLocks.ordering}, hashtext(${storeId}))`;

/** A statement of its own: the next one sees what the orders have written. */
const waitForOrders = prepared(`select pg_advisory_xact_lock(${advisoryLocks.ordering}, hashtext($1))`);

// Locks the row of the store before the due time, as all do that write one.
const changeStatement = prepared(`
  with locked as materialized (select id from store where id = $1 for no key update),
  changed as (
    update store set ordering = case when $4 then $2::json else ordering end, guest_orders = coalesce($5, guest_orders),
      preparation_minutes = coalesce($6, preparation_minutes)
    from locked where store.id = locked.id
      and (($4 and ordering::text is distinct from $2::text) or guest_orders is distinct from coalesce($5, guest_orders)
        or preparation_minutes is distinct from coalesce($6, preparation_minutes))
  ),
  due as (
    insert into due_time (store_id, subject, external_id, due_at)
    select id, 'ordering', '', $3::timestamptz from locked where $3::timestamptz is not null
    on conflict (store_id, subject, external_id) do update set due_at = excluded.due_at
  ),
  settled as (
    delete from due_time using locked where store_id = locked.id and subject = 'ordering' and $3::timestamptz is null and $4
  )
  select id from locked`);
