import { merchantsWithin, type Reach } from '../reach.ts';
import { milliseconds, type Picked, statementsOf } from '../rows.ts';
import type { Query } from '../statement.ts';
import type { Merchant } from './entities.ts';

const statementFor = statementsOf(`
  select m.id, ${milliseconds('m.created_at')} as "createdAt", m.brand_name as "brandName",
    m.business_type as "businessType"
  from merchant m`);

type Row = Omit<Merchant, 'createdAt'> & { readonly createdAt: number };

/** The merchants `m` within reach that a condition picks: the graph's one way to merchants. */
export async function selectMerchants(query: Query, reach: Reach, picked: Picked): Promise<Merchant[]> {
  const within = merchantsWithin(reach, 'm', picked.values.length + 1);
  const rows = await query<Row>(statementFor(picked, within.sql), [...picked.values, ...within.values]);
  return rows.map(row => Object.assign(row, { createdAt: new Date(row.createdAt) }));
}
