import { type AccessScope, merchantScope } from '../auth/scope.ts';
import type { ReadAccess } from '../database/access.ts';
import { createBatchLoader } from '../database/batch-loader.ts';
import { Selection } from '../database/entity-query.ts';
import { type Slice, sliceQuery } from '../database/paging.ts';
import { type Merchant, MerchantEntity } from './entities.ts';

export type MerchantRepository = ReturnType<typeof createMerchantRepository>;

export function createMerchantRepository({ em, query, primary }: ReadAccess) {
  const merchants = new Selection<Merchant>(em, { entity: MerchantEntity, scope: { rules: merchantScope } });
  const findSlice = merchants.compile(sliceQuery);
  return {
    byId: createBatchLoader(merchants, primary),
    /** Oldest first. */
    findSlice: (scope: AccessScope, { skip, limit }: Slice) => findSlice(query, scope, [skip, limit]),
  };
}
