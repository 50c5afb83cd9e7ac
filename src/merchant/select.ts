import type { Lookup } from '../lookup.ts';
import { merchantsWithin, type Reach, reachesMerchant } from '../reach.ts';
import { milliseconds, type Picked, statementsOf } from '../rows.ts';
import type { Query } from '../statement.ts';
import type { Merchant } from './entities.ts';

const select = `
  select m.id, ${milliseconds('m.created_at')} as "createdAt", m.brand_name as "brandName",
    m.business_type as "businessType"
  from merchant m`;
const statementFor = statementsOf(select);

type Row = Omit<Merchant, 'createdAt'> & { readonly createdAt: number };

/** Merchants by their identifiers; `toMerchant` makes them of the rows. */
export const merchantRows: Lookup<Row> = {
  select,
  column: 'm.id',
  within: (reach, n) => merchantsWithin(reach, 'm', n),
  reaches: (reach, { id }) => reachesMerchant(reach, id),
};

export const toMerchant = (row: Row): Merchant => Object.assign({}, row, { createdAt: new Date(row.createdAt) });

/** The merchants `m` within reach that a condition picks. */
export async function selectMerchants(query: Query, reach: Reach, picked: Picked): Promise<Merchant[]> {
  const within = merchantsWithin(reach, 'm', picked.values.length + 1);
  const rows = await query<Row>(statementFor(picked, within.sql), [...picked.values, ...within.values]);
  return rows.map(toMerchant);
}
