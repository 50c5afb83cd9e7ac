import { createBatchLoader } from '../database/batch-loader.ts';
import type { ReadAccess } from '../database/pool.ts';
import { Selection } from '../database/query.ts';
import { compileList, folded, type ListRequest } from '../lists/entity-list.ts';
import { type AccessScope, merchantScope } from '../scope.ts';
import { type Merchant, MerchantEntity } from './entities.ts';

export type MerchantRepository = ReturnType<typeof createMerchantRepository>;

export function createMerchantRepository({ em, query, primary }: ReadAccess) {
  const merchants = new Selection<Merchant>(em, { entity: MerchantEntity, scope: { rules: merchantScope } });
  const list = compileList(merchants, folded("concat_ws(' ', e.id, e.brand_name)"));
  return {
    byId: createBatchLoader(merchants, primary),
    /** Oldest first. */
    findPage: (scope: AccessScope, page: ListRequest) => list.findPage(query, scope, page),
    count: (scope: AccessScope, words: readonly string[]) => list.count(query, scope, words),
  };
}
