import { InvalidInput, type ValidationError } from '@carte/base/errors';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type BatchOptions, runBatches } from '../database/batches.ts';
import { prepared, type Query, queryIn } from '../database/query.ts';
import { referenceNotFound } from '../database/save.ts';
import { maxPhoneDigits } from './entities.ts';
import { prefixRange, reverse } from './where-clause.ts';

/** The orders of which merchant: exactly one of the two. */
export interface GuestScope {
  readonly merchantId?: string | null | undefined;
  readonly all?: boolean | null | undefined;
}

export interface GuestQuery extends GuestScope {
  /** Telephone numbers with all their digits. */
  readonly phones: readonly string[];
}

/** Orders whose telephone number is spelled alike. */
export interface Spelling {
  readonly phone: string;
  readonly digits: string;
  readonly orders: number;
  readonly stores: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** What there is to erase. */
export interface GuestOrders {
  readonly storeIds: readonly string[];
  readonly orders: number;
  /** Orders that the store still works on. */
  readonly open: number;
}

/** Fewer are not the number of one guest. */
const minDigits = 7;
const maxDigits = maxPhoneDigits - 1;
const maxPhones = 100;

/** Free texts of guests by their names in imported items, at any depth. */
const itemKeys = 'note|comment|remark|instruction|request|message|customer|guest|recipient|contact|phone|mail|address';

const without = (column: string, keys: string) => `without_guest(${column}, '${keys}', customer_name, customer_phone)`;

/** Assignments that empty the data of the guest; amounts, items, times and statuses stay. */
export const anonymized = `
  customer_name = '', customer_phone = '', customer_comments = null, items = ${without('items', itemKeys)},
  service = ${without('service', '\\m(address|reference)\\M')}, steps = ${without('steps::json', '\\mreason\\M')}::jsonb,
  anonymized_at = now()`;

/** Errors do not repeat a number, which is data of a guest, too. */
const nameOf = (index: number) => `telephone number ${index + 1}`;

export const digitsOf = (phone: string): string => phone.replaceAll(/[^0-9]/g, '');

/** Throws `InvalidInput` with every error: of the numbers and of the scope, also that there is no such merchant. */
async function check(query: Query, { phones, merchantId, all }: GuestQuery): Promise<void> {
  const errors = [...checkPhones(phones), ...checkScope({ merchantId, all })];
  if (merchantId != null) {
    const [merchant] = await query('select from merchant where id = $1', [merchantId.replaceAll('\0', '')]);
    if (!merchant) errors.push(referenceNotFound(['merchantId'], 'merchant', merchantId));
  }
  if (errors.length > 0) throw new InvalidInput(errors);
}

function* checkPhones(phones: readonly string[]): Generator<ValidationError> {
  if (phones.length < 1 || phones.length > maxPhones) {
    const message = `there are ${phones.length} telephone numbers; it must be 1 to ${maxPhones}`;
    yield { path: ['phones'], type: 'value_error', message };
  }
  for (const [index, phone] of phones.entries()) {
    const path = ['phones', index];
    const { length } = digitsOf(phone);
    const found = nameOf(index);
    if (!/^[\d\s()+./-]*$/.test(phone)) {
      yield { path, type: 'value_error', message: `${found} has more than digits, spaces and ( ) + . / -` };
    } else if (length < minDigits || length > maxDigits) {
      const message = `${found} has ${length} digits; the whole number has ${minDigits} to ${maxDigits}`;
      yield { path, type: 'value_error', message };
    }
  }
}

function* checkScope({ merchantId, all }: GuestScope): Generator<ValidationError> {
  if ((merchantId != null) !== (all === true)) return;
  const found = all ? 'a merchant and all are both given' : 'neither a merchant nor all is given';
  yield { path: ['merchantId'], type: 'value_error', message: `${found}; give one of them` };
}

/** Lists spellings of a number: those that end in its last seven digits, since some have the code of the country and others have not. */
export async function findSpellings(em: EntityManager, { phones, merchantId, all }: GuestQuery): Promise<Spelling[]> {
  const query = queryIn(em);
  await check(query, { phones, merchantId, all });
  const suffixes = new Set(phones.map(phone => digitsOf(phone).slice(-minDigits)));
  const ranges = [...suffixes].map(suffix => prefixRange(reverse(suffix)));
  const values = [ranges.map(([first]) => first), ranges.map(([, end]) => end), merchantId ?? null];
  return query<Spelling>(spellingsStatement, values);
}

const inScope = (parameter: string) =>
  `(${parameter}::text is null or store_id in (select id from store where merchant_id = ${parameter}))`;

const spellingsStatement = `
  select customer_phone as phone, regexp_replace(customer_phone, '[^0-9]', '', 'g') as digits, count(*)::int as orders,
    count(distinct store_id)::int as stores, min(created_at) as "firstAt", max(created_at) as "lastAt"
  from orders join unnest($1::text[], $2::text[]) as suffix (first, past) on phone_reversed >= first and phone_reversed < past
  where ${inScope('$3')}
  group by customer_phone order by 3 desc, 1`;

/** Finds the orders with exactly these numbers; throws `InvalidInput`, also for a number that is only the end of others. */
export async function findGuest(em: EntityManager, guest: GuestQuery): Promise<GuestOrders> {
  const query = queryIn(em);
  await check(query, guest);
  const found = await query<{ storeId: string; orders: number; open: number; numbers: readonly string[] }>(
    storesStatement,
    [reversedOf(guest), guest.merchantId ?? null],
  );
  const known = new Set(found.flatMap(({ numbers }) => numbers));
  // A call that is repeated may have erased one of its numbers, and not yet another that ends in it.
  const given = new Set(reversedOf(guest));
  const errors: ValidationError[] = [];
  for (const [index, phone] of guest.phones.entries()) {
    const digits = digitsOf(phone);
    if (known.has(reverse(digits))) continue;
    const similar = await findSpellings(em, { ...guest, phones: [phone] });
    if (!similar.some(other => other.digits.endsWith(digits) && !given.has(reverse(other.digits)))) continue;
    const message = `${nameOf(index)} is only the end of others; give all digits`;
    errors.push({ path: ['phones', index], type: 'value_error', message });
  }
  if (errors.length > 0) throw new InvalidInput(errors);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    storeIds: found.map(({ storeId }) => storeId),
    orders: sum(found.map(({ orders }) => orders)),
    open: sum(found.map(({ open }) => open)),
  };
}

const reversedOf = ({ phones }: GuestQuery) => [...new Set(phones.map(phone => reverse(digitsOf(phone))))];

const storesStatement = `
  select store_id as "storeId", count(*)::int as orders, array_agg(distinct phone_reversed) as numbers,
    count(*) filter (where status in ('PENDING', 'ACCEPTED', 'READY'))::int as open
  from orders where phone_reversed = any($1::text[]) and ${inScope('$2')}
  group by store_id order by store_id`;

/** Yields the ids of a guest's orders, store by store, oldest first. */
export async function* listOrderIds(em: EntityManager, guest: GuestQuery, size = 500): AsyncGenerator<string[]> {
  const query = queryIn(em);
  for (const storeId of (await findGuest(em, guest)).storeIds) {
    for (let ids: string[] = [], after = ''; after === '' || ids.length === size; after = ids.at(-1) ?? '') {
      const rows = await query<{ id: string }>(idsStatement, [storeId, reversedOf(guest), after, size]);
      ids = rows.map(({ id }) => id);
      if (ids.length > 0) yield ids;
    }
  }
}

const idsStatement = prepared(`
  select id from orders where store_id = $1 and phone_reversed = any($2::text[]) and id > $3 order by id limit $4`);

/** Few, since writers of the same store wait for a batch. */
export const batchSize = 25;

/**
 * Empties the data of the guest in all orders with exactly these numbers, in batches with a transaction each. The last one of a store writes the
 * event of the store, so that there is one however often this was interrupted and repeated.
 */
export async function eraseGuest(
  em: EntityManager,
  guest: GuestQuery,
  { size = batchSize, ...options }: Partial<BatchOptions> = {},
): Promise<GuestOrders> {
  const query = queryIn(em);
  const found = await findGuest(em, guest);
  let orders = 0;
  for (const storeId of found.storeIds) {
    const eraseBatch = async () => {
      const [row] = await query<{ count: number }>(eraseStatement, [storeId, reversedOf(guest), size]);
      return row?.count ?? 0;
    };
    orders += await runBatches(eraseBatch, { size, ...options });
  }
  return { ...found, orders };
}

// One more than a batch tells whether it is the last one.
const eraseStatement = prepared(`
  with found as materialized (
    select id from orders where store_id = $1 and phone_reversed = any($2::text[]) order by id limit $3 + 1 for update
  ),
  source as materialized (
    select set_config('carte.change_source', case when count(*) > $3 then 'RETENTION' else 'ERASURE' end, true) from found
  ),
  erased as (
    update orders set ${anonymized}
    where id = any(array(select id from found, source order by id limit $3))
    returning id
  ),
  ended as (
    delete from guest_token where order_id in (select id from erased)
  )
  select count(*)::int as count from erased`);
