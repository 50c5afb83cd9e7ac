import type { EntityManager } from '@mikro-orm/postgresql';
import { queryIn } from '../../src/database/query.ts';
import type { Order } from '../../src/order/entities.ts';

/** A guest with data in every column that may have some; each text has one of the words that `traces` finds. */
export const guest = {
  customerName: 'Zenobia Quist',
  customerPhone: '+351 919 000 777',
  customerComments: 'zenobia comments',
  service: {
    address: { addressLine1: 'Rua Zenobia 1', note: 'bell of Quist' },
    payments: [{ method: 'card', amount: 1200, reference: 'pi_zenobia' }],
    charges: [{ name: 'Delivery', amount: 150 }],
    table: 'T4',
    tip: 100,
  },
  steps: [
    { at: '2026-03-01T12:00:00Z', status: 'PENDING', by: 'web' },
    { at: '2026-03-01T12:01:00Z', status: 'REJECTED', reason: 'Zenobia did not call back' },
  ],
  items: [
    {
      external_id: 'soup',
      name: { translations: { en: 'Soup' } },
      quantity: 2,
      price: 600,
      tax: 60,
      note: 'for Zenobia',
    },
    {
      sku: 'S-1',
      price: 1.5,
      options: [{ Special_Instructions: 'ask zenobia', qty: 1, label: 'Cake for ZENOBIA  QUIST' }],
    },
    {
      sku: 'S-2',
      label: 'zenobia quist, 20 candles',
      till: 'call 919-000-777',
      contact: { city: 'Quist' },
      tel: 351919000777,
      'for Zenobia Quist': 1,
      guest_count: 2,
      is_requested: true,
    },
  ],
} as const satisfies Partial<Order>;

/** Every column of every table, also of those to come. */
function columnsOf(em: EntityManager) {
  return queryIn(em)<{ table: string; column: string; type: string; hasOrder: boolean }>(
    `select quote_ident(relname) as table, quote_ident(attname) as column, atttypid::regtype::text as type,
       relname = 'orders' or exists (select from pg_attribute where attrelid = c.oid and attname = 'order_id') as "hasOrder"
     from pg_class c join pg_attribute a on attrelid = c.oid
     where relnamespace = current_schema::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0
       and not attisdropped order by 1, attnum`,
    [],
  );
}

/** The columns of the tables of orders that are no number, time or boolean. */
export async function textColumns(em: EntityManager): Promise<string[]> {
  const columns = (await columnsOf(em)).filter(
    ({ type, hasOrder }) => hasOrder && !/^(bigint|integer|boolean|timestamp.*|uuid|xid8)$/.test(type),
  );
  return columns.map(({ table, column }) => `${table}.${column}`);
}

/** The places, as table and column, where a text has something of a guest. */
export async function traces(
  em: EntityManager,
  words = 'zenobia|quist|919\\D?000\\D?777|777000919',
): Promise<string[]> {
  const found: string[] = [];
  for (const { table, column } of await columnsOf(em)) {
    const [row] = await queryIn(em)(`select from ${table} where ${column}::text ~* $1 limit 1`, [words]);
    if (row) found.push(`${table}.${column}`);
  }
  return found;
}
