import { hash, randomBytes } from 'node:crypto';
import DataLoader from 'dataloader';
import { prepared, type Query } from '../database/query.ts';
import type { AccessScope } from '../scope.ts';
import type { Order } from './entities.ts';

/** Identifies tokens in texts where they must not be, and for secret scanners. */
export const tokenPrefix = 'carte_guest_';

export const createToken = (): string => tokenPrefix + randomBytes(16).toString('base64url');

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Whether a value that came as JSON has a token in it. */
export const hasToken = (value: unknown): boolean => JSON.stringify(value)?.includes(tokenPrefix) ?? false;

interface NewToken {
  readonly token: string;
  readonly orderId: string;
  readonly storeId: string;
  readonly keyId: string;
  readonly addressHash: number;
}

/** Stores the token of an order, and so ends the one before. */
export async function saveToken(
  query: Query,
  { token, orderId, storeId, keyId, addressHash }: NewToken,
): Promise<void> {
  await query(saveStatement, [orderId, storeId, keyId, hashOf(token), addressHash]);
}

/** Deletes some tokens of a store that have expired, so that the table does not grow with the orders. */
export async function deleteExpiredTokens(query: Query, storeId: string): Promise<void> {
  await query(deleteStatement, [storeId]);
}

const saveStatement = prepared(`
  insert into guest_token (order_id, store_id, key_id, hash, address_hash, expires_at)
  values ($1, $2, $3, $4, $5, now() + interval '60 days')
  on conflict (order_id) do update set hash = excluded.hash`);

const deleteStatement = prepared(`
  delete from guest_token where order_id in (
    select order_id from guest_token where store_id = $1 and expires_at < now()
    order by expires_at limit 100 for update skip locked
  )`);

/** Finds the ids of orders by the hashes of tokens. One that has ended, or is another key's, is like one that never was. */
const findStatement = prepared(`
  select token.hash, token.order_id as "orderId" from guest_token token
  join orders on orders.id = token.order_id and orders.store_id = token.store_id
  where token.hash = any($1) and token.key_id = $2 and token.expires_at > now()
    and (orders.completed_at is null or orders.completed_at > now() - interval '1 day')`);

/** Loads the orders of tokens; null for one that the key does not have, or that has ended. */
export function orderByTokenLoader(
  query: Query,
  { keyId }: AccessScope,
  loadOrder: (orderId: string) => Promise<Order | null>,
): DataLoader<string, Order | null> {
  return new DataLoader(async tokens => {
    // By hash, so that the time which a lookup takes tells nothing of a token that is similar.
    const hashes = tokens.map(hashOf);
    const rows = await query<{ readonly hash: Buffer; readonly orderId: string }>(findStatement, [hashes, keyId ?? '']);
    return Promise.all(
      hashes.map(async hash => {
        const found = rows.find(row => row.hash.equals(hash));
        return found ? loadOrder(found.orderId) : null;
      }),
    );
  });
}
