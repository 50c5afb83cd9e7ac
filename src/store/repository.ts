import { type AccessScope, storeScope } from '../auth/scope.ts';
import type { ReadAccess } from '../database/access.ts';
import { createBatchLoader } from '../database/batch-loader.ts';
import { anyOf, Selection, type SelectionOptions } from '../database/entity-query.ts';
import { type Pagination, paginatedQuery } from '../database/paging.ts';
import { type Merchant, MerchantEntity } from '../merchant/entities.ts';
import { type Store, StoreEntity } from './entities.ts';

export type StoreRepository = ReturnType<typeof createStoreRepository>;

/** What tells whether a store's menu configuration, or its orders, have changed. */
export type StoreRevisions = Readonly<Partial<Record<'menuRevision' | 'ordersRevision', number>>>;
type RevisedStore = Pick<Store, 'id' | 'merchant'> & StoreRevisions;

export function createStoreRepository({ em, query, primary }: ReadAccess) {
  const scope = { rules: storeScope };
  // With its merchant: whoever sees the one sees the other, and most requests ask for both.
  const options: SelectionOptions<Store, Merchant> = {
    entity: StoreEntity,
    scope,
    join: {
      relation: 'merchant',
      entity: MerchantEntity,
      attach: (store, merchant) => {
        store.joinedMerchant = merchant;
      },
    },
  };
  const stores = new Selection(em, options);
  // A lookup for each row, which a single store is worth and a list is not.
  const withOrdersRevision = new Selection(em, { ...options, lazyFields: ['ordersRevision'] });
  const revised = (...revisions: readonly (keyof StoreRevisions)[]) =>
    new Selection<RevisedStore>(em, { entity: StoreEntity, scope, fields: ['id', 'merchant', ...revisions] });
  const findMany = stores.compile(paginatedQuery);
  const findOfMerchants = stores.compile({
    parameters: 1,
    build: qb => qb.where({ merchant: anyOf(1) }).orderBy({ createdAt: 'asc', id: 'asc' }),
  });
  return {
    byId: createBatchLoader(withOrdersRevision, primary),
    /** For less than the store costs. */
    menuRevisionById: createBatchLoader(revised('menuRevision'), primary),
    revisionsById: createBatchLoader(revised('menuRevision', 'ordersRevision'), primary),
    /** Oldest first. */
    findMany: (scope: AccessScope, { skip, limit }: Pagination) => findMany(query, scope, [skip, limit]),
    /** Oldest first. */
    findOfMerchants: (scope: AccessScope, merchantIds: readonly string[]) =>
      findOfMerchants(query, scope, [merchantIds]),
  };
}
