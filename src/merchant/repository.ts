import { type AccessScope, merchantScope } from '../auth/scope.ts';
import type { ReadAccess } from '../database/access.ts';
import { createBatchLoader } from '../database/batch-loader.ts';
import { Selection } from '../database/entity-query.ts';
import { type Pagination, paginatedQuery } from '../database/paging.ts';
import { type Merchant, MerchantEntity } from './entities.ts';

export type MerchantRepository = ReturnType<typeof createMerchantRepository>;

export function createMerchantRepository({ em, query, primary }: ReadAccess) {
  const merchants = new Selection<Merchant>(em, { entity: MerchantEntity, scope: { rules: merchantScope } });
  const findMany = merchants.compile(paginatedQuery);
  return {
    byId: createBatchLoader(merchants, primary),
    /** Oldest first. */
    findMany: (scope: AccessScope, { skip, limit }: Pagination) => findMany(query, scope, [skip, limit]),
  };
}
