import type { MikroORM } from '@mikro-orm/postgresql';

export const smallStore = 'store with 5,000';
export const largeStore = 'store with 500,000';

/** A million orders of 290 days at 200 stores: one store has half of them, one 5,000, the others the rest. */
const statements = [
  `insert into merchant (id, brand_name) values ('merchant', 'Casa Verde')`,
  `insert into store (id, merchant_id, name)
   select case n when 0 then '${largeStore}' when 1 then '${smallStore}' else 'store ' || n end, 'merchant',
     '{"translations": {"en": "Baixa"}}'
   from generate_series(0, 199) n`,
  `insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by,
     is_read, in_pos)
   select 'order-' || lpad(n::text, 7, '0') || '-' || substr(md5(n::text), 1, 12),
     case when n % 2 = 0 then '${largeStore}' when n % 200 = 1 then '${smallStore}' else 'store ' || 2 + n / 2 % 198 end,
     at, case when n > 999000 then (array['PENDING', 'ACCEPTED', 'READY', 'FULFILLED'])[1 + n / 3 % 4]
       when n % 10 = 0 then (array['CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'REJECTED'])[1 + n / 10 % 3]
       else 'FULFILLED' end,
     (array['Ana', 'Bruno', 'Carla', 'Дмитрий', 'Élodie', 'Farid', 'Grace', 'Hiro', 'Inês', 'Jonas', 'Klara', 'Liam',
       'Maria', 'Nora', 'Otto', 'Paula', 'Quinn', 'Rosa', 'Sven', 'Tara'])[1 + abs(hashint4(n)) % 20]
       || ' ' || initcap(substr(md5((n * 7)::text), 1, 6)),
     '+351 9' || lpad((abs(hashint4(n + 1)) % 100000000)::text, 8, '0'), 1000 + n % 5000, 100,
     '[{"name": "Pizza", "quantity": 2, "price": 900}, {"name": "Cola", "quantity": 1, "price": 300, "note": "no ice"}]',
     at + interval '40 minutes', false, false
   from (
     select n, timestamptz '2026-01-01Z' + n * interval '25 seconds' + n % 3600 * 7919 % 3600 * interval '1 second' as at
     from generate_series(1, 1000000) n
   ) numbered`,
  'vacuum analyze',
];

export async function createOrders(orm: MikroORM): Promise<void> {
  for (const statement of statements) await orm.em.fork().execute(statement);
}
