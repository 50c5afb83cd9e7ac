import DataLoader from 'dataloader';
import { checkSlice, type Slice } from '../paging.ts';
import type { Reach } from '../reach.ts';
import { byIds } from '../rows.ts';
import type { Query } from '../statement.ts';
import type { Merchant } from './entities.ts';
import { selectMerchants } from './select.ts';

/** However a request came by a merchant, asking for it again costs nothing. */
export function merchantLoaders(query: Query, reach: Reach) {
  const merchantById = new DataLoader<string, Merchant | null>(async ids => {
    const merchants = await selectMerchants(query, reach, byIds('m.id', ids));
    const byId = new Map(merchants.map(merchant => [merchant.id, merchant]));
    return ids.map(id => byId.get(id) ?? null);
  });
  return {
    merchantById,
    /** Oldest first. */
    async merchantsInSlice(slice: Slice): Promise<Merchant[]> {
      const { skip, limit } = checkSlice(slice);
      const rest = 'order by m.created_at, m.id offset $1 limit $2';
      const merchants = await selectMerchants(query, reach, { condition: 'true', values: [skip, limit], rest });
      for (const merchant of merchants) merchantById.prime(merchant.id, merchant);
      return merchants;
    },
  };
}
