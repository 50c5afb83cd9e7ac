import { scopedLoader } from '../database/batch-loader.ts';
import { checkListArguments, type ListArguments } from '../lists/entity-list.ts';
import { createRelayConnection, type RelayConnection } from '../lists/paging.ts';
import type { AccessScope } from '../scope.ts';
import type { Merchant } from './entities.ts';
import type { MerchantRepository } from './repository.ts';

export type MerchantConnection = RelayConnection<Merchant>;

export function merchantLoaders(repository: MerchantRepository, scope: AccessScope) {
  const byId = scopedLoader(repository.byId, scope);
  return {
    byId,
    /** Oldest first. */
    list(args: ListArguments): MerchantConnection {
      const request = checkListArguments('merchant', args);
      const readPage = async () => {
        const page = await repository.findPage(scope, request);
        for (const merchant of page.nodes) byId.prime(merchant.id, merchant);
        return page;
      };
      return createRelayConnection(readPage, () => repository.count(scope, request.words));
    },
  };
}
