import { createBatchLoader } from '../database/batch-loader.ts';
import type { ReadAccess } from '../database/pool.ts';
import { Selection } from '../database/query.ts';
import { createList, folded } from '../lists/entity-list.ts';
import { merchantScope } from '../scope.ts';
import { type Merchant, MerchantEntity } from './entities.ts';

export type MerchantRepository = ReturnType<typeof createMerchantRepository>;

const searchedText = folded("concat_ws(' ', e.id, e.brand_name)");

export function createMerchantRepository({ em, query, primary }: ReadAccess) {
  const merchants = new Selection<Merchant>(em, { entity: MerchantEntity, scope: { rules: merchantScope } });
  return {
    byId: createBatchLoader(merchants, primary),
    list: createList(query, { name: 'merchant', selection: merchants, searchedText: () => searchedText }),
  };
}
