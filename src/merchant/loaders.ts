import type { Reading } from '../lookup.ts';
import { checkSlice, type Slice } from '../paging.ts';
import type { Reach } from '../reach.ts';
import { Remembered } from '../remembered.ts';
import type { Merchant } from './entities.ts';
import { merchantRows, selectMerchants, toMerchant } from './select.ts';

/** However a request came by a merchant, asking for it again costs nothing. */
export function merchantLoaders({ query, lookUp }: Reading, reach: Reach) {
  const find = async (id: string) => {
    const row = await lookUp(merchantRows, reach, id);
    return row ? toMerchant(row) : null;
  };
  const byId = new Remembered<Merchant | null>(find);
  return {
    byId,
    /** Oldest first. */
    async inSlice(slice: Slice): Promise<Merchant[]> {
      const { skip, limit } = checkSlice(slice);
      const rest = 'order by m.created_at, m.id offset $1 limit $2';
      const merchants = await selectMerchants(query, reach, { condition: 'true', values: [skip, limit], rest });
      for (const merchant of merchants) byId.prime(merchant.id, merchant);
      return merchants;
    },
  };
}
