import { createHash } from 'node:crypto';
import { InvalidInput } from '@carte/base/errors';
import { prepared, type Query } from '../database/query.ts';
import type { PlaceOrderInput } from '../generated/graph.ts';
import { holdOrdering } from '../store/ordering.ts';
import { serviceOf } from './service.ts';

/** What a call registers under its idempotency key. */
interface Claim {
  readonly storeId: string;
  readonly input: PlaceOrderInput;
  readonly orderId: string;
  /** The key as it is stored, if it is not that of the input. */
  readonly key?: string | undefined;
}

/**
 * Returns the key's order: that of the claim if the key is new, or else the one that was placed with it, and whether the same call has, as far
 * as its content tells. A concurrent
 * call with the same key waits here until this transaction ends, by the lock of the key's row. From here to the end of the transaction,
 * the state of the store's ordering does not change. Undefined if the store is gone.
 */
export async function claimKey(query: Query, { storeId, input, orderId, key = input.idempotencyKey }: Claim) {
  const hash = hashOf(input);
  const values = [storeId, key, hash, orderId];
  const [row] = await query<{ readonly orderId: string; readonly requestHash: Buffer }>(claimStatement, values);
  return row && { orderId: row.orderId, isSame: hash.equals(row.requestHash) };
}

/** Whether an order was placed with a key, as it is stored. */
export async function isClaimed(query: Query, storeId: string, key: string): Promise<boolean> {
  return (await query(findStatement, [storeId, key])).length > 0;
}

const findStatement = prepared('select from order_idempotency_key where store_id = $1 and key = $2');

export function reused({ idempotencyKey }: PlaceOrderInput, order: string): InvalidInput {
  const message = `${JSON.stringify(idempotencyKey)} is the idempotency key of ${order}; use a new key for a new order`;
  return new InvalidInput([{ path: ['input', 'idempotencyKey'], type: 'idempotency_key_reused', message }]);
}

/** Deletes some keys of a store that are older than a day, so that the table does not grow with the orders. */
export async function deleteExpiredKeys(query: Query, storeId: string): Promise<void> {
  await query(deleteStatement, [storeId]);
}

// The update changes nothing: it locks and returns the row of a key that is known.
const claimStatement = prepared(`
  insert into order_idempotency_key as known (store_id, key, request_hash, order_id, created_at)
  select id, $2::text, $3::bytea, $4::text, now() from store where id = $1 and ${holdOrdering('$1')} is not null for key share
  on conflict (store_id, key) do update set key = known.key
  returning order_id as "orderId", request_hash as "requestHash"`);

// Rows that another call deletes or repeats at the moment are skipped.
const deleteStatement = prepared(`
  delete from order_idempotency_key where (store_id, key) in (
    select store_id, key from order_idempotency_key
    where store_id = $1 and created_at < now() - interval '24 hours'
    order by created_at limit 100 for update skip locked
  )`);

/** Hashes an order so that omitted values and defaults are equal. A new field must not change the hash of an order without it. */
function hashOf(input: PlaceOrderInput): Buffer {
  const { customer, readyBy, customerComments, lines, serviceType = null, expectedTotal } = input;
  const service = serviceOf(input);
  const content = [
    customer.name,
    customer.phone,
    readyBy?.toISOString() ?? null,
    customerComments ?? null,
    lines.map(({ itemExternalId, quantity = 1, note, modifiers }) => [
      itemExternalId,
      quantity,
      note ?? null,
      (modifiers ?? []).map(modifier => [
        modifier.modifierGroupExternalId,
        modifier.modifierItemExternalId,
        modifier.quantity ?? 1,
      ]),
    ]),
    ...(serviceType || service ? [serviceType, service] : []),
    ...(expectedTotal == null ? [] : [{ expectedTotal }]),
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}
