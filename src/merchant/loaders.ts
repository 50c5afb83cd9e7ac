import { scopedLoader } from '../database/batch-loader.ts';
import type { ListArguments } from '../lists/entity-list.ts';
import type { RelayConnection } from '../lists/paging.ts';
import type { AccessScope } from '../scope.ts';
import type { Merchant } from './entities.ts';
import type { MerchantRepository } from './repository.ts';

export type MerchantConnection = RelayConnection<Merchant>;

export function merchantLoaders(repository: MerchantRepository, scope: AccessScope) {
  const byId = scopedLoader(repository.byId, scope);
  const list = (args: ListArguments): MerchantConnection => repository.list(scope, args, byId);
  return { byId, list };
}
