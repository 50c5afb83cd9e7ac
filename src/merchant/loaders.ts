import type { AccessScope } from '../auth/scope.ts';
import { scopedLoader } from '../database/batch-loader.ts';
import { checkSlice, type Slice } from '../database/paging.ts';
import type { Merchant } from './entities.ts';
import type { MerchantRepository } from './repository.ts';

export function merchantLoaders(repository: MerchantRepository, scope: AccessScope) {
  const byId = scopedLoader(repository.byId, scope);
  return {
    byId,
    /** Oldest first. */
    async inSlice(slice: Slice): Promise<readonly Merchant[]> {
      const merchants = await repository.findSlice(scope, checkSlice(slice));
      for (const merchant of merchants) byId.prime(merchant.id, merchant);
      return merchants;
    },
  };
}
