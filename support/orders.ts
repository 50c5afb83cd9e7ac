import type { Database } from './database.ts';

/** With the id of the order and that of its store. */
export const insertOrder = `
  insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
  values ($1, $2, now(), 'PENDING', 'Ana', '1', 1200, 120, '[]', now(), false, false)`;

/** Creates stores and returns their ids. */
export async function createStores({ query }: Pick<Database, 'query'>, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `stream-${index}`);
  await query(`insert into store (id, name) select id, '{}' from unnest($1::text[]) id on conflict do nothing`, [ids]);
  return ids;
}
