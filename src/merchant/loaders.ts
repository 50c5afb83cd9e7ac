import type { AccessScope } from '../auth/scope.ts';
import { scopedLoader } from '../database/batch-loader.ts';
import { checkPagination, type Pagination } from '../database/paging.ts';
import type { Merchant } from './entities.ts';
import type { MerchantRepository } from './repository.ts';

export function merchantLoaders(repository: MerchantRepository, scope: AccessScope) {
  const byId = scopedLoader(repository.byId, scope);
  return {
    byId,
    /** Oldest first. */
    async list(pagination: Pagination): Promise<readonly Merchant[]> {
      const merchants = await repository.findMany(scope, checkPagination(pagination));
      for (const merchant of merchants) byId.prime(merchant.id, merchant);
      return merchants;
    },
  };
}
