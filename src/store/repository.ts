import { createBatchLoader } from '../database/batch-loader.ts';
import type { ReadAccess } from '../database/pool.ts';
import { anyOf, Selection, type SelectionOptions } from '../database/query.ts';
import { createList, folded } from '../lists/entity-list.ts';
import { type Merchant, MerchantEntity } from '../merchant/entities.ts';
import { type AccessScope, readPermissionsOf, storeScope } from '../scope.ts';
import { currencyOf } from './currency.ts';
import { type Store, StoreEntity } from './entities.ts';

export type StoreRepository = ReturnType<typeof createStoreRepository>;

/** Revisions of a store, of its menu configuration and of its orders, what else cached responses and ETags depend on, and when something of it is due. */
type StoreRevisions = Readonly<
  Partial<Record<'revision' | 'menuRevision' | 'ordersRevision', number> & Pick<Store, 'currency' | 'dueInSeconds'>>
>;
type StoreWithRevisions = Pick<Store, 'id' | 'merchant' | 'country' | 'currency'> & StoreRevisions;

/** What a search for stores compares: only what the key may read, by `@readable` of these fields. */
const publicText = `${folded("concat_ws(' ', e.id, e.external_id)")} || ' ' || e.name_folded`;
const textWithMenus = `${folded("concat_ws(' ', e.id, e.external_id, e.city, (select m.brand_name from merchant m where m.id = e.merchant_id))")} || ' ' || e.name_folded`;

const searchedText = (scope: AccessScope) =>
  readPermissionsOf(scope).includes('READ_MENUS') ? textWithMenus : publicText;

export function createStoreRepository({ em, query, primary }: ReadAccess) {
  const scope = { rules: storeScope };
  // Joins the merchant, which is in scope wherever the store is: most requests select both.
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
  // A subquery per row: acceptable for single stores, but not for lists.
  const withRevisions = new Selection(em, { ...options, lazyFields: ['revision', 'ordersRevision'] });
  const revisions = (...names: readonly (keyof StoreWithRevisions)[]) =>
    new Selection<StoreWithRevisions>(em, {
      entity: StoreEntity,
      scope,
      fields: ['id', 'merchant', ...names],
    });
  const findOfMerchants = stores.compile({
    parameters: 1,
    build: qb => qb.where({ merchant: anyOf(1) }).orderBy({ createdAt: 'asc', id: 'asc' }),
  });
  const ownFields = ['menuRevision', 'revision', 'country', 'currency'] as const;
  const loader = (...names: readonly (keyof StoreWithRevisions)[]) => createBatchLoader(revisions(...names), primary);
  const revisionsById = loader(...ownFields, 'ordersRevision');
  // Cheaper than the whole store.
  const ordersRevisionById = loader('ordersRevision');
  const secret = { menuRevision: loader('menuRevision'), withoutOrders: loader(...ownFields) };
  // Only what is read with a publishable key may be stored by caches at the edge, which have to know what is due.
  const publishable = {
    menuRevision: loader('menuRevision', 'dueInSeconds'),
    withoutOrders: loader(...ownFields, 'dueInSeconds'),
  };
  const loaderOf = (scope: AccessScope, names: readonly string[]) => {
    if (names.includes('ordersRevision')) return names.length === 1 ? ordersRevisionById : revisionsById;
    const { menuRevision, withoutOrders } = scope.publishable ? publishable : secret;
    return names.length === 1 && names[0] === 'menuRevision' ? menuRevision : withoutOrders;
  };
  return {
    byId: createBatchLoader(withRevisions, primary),
    revisionsById,
    /** Reads at least the named revisions of a store, its currency, and what is due for a publishable key; undefined if it does not exist in the scope of the caller. */
    async readRevisions(
      { scope }: { readonly scope: AccessScope },
      { storeId, names }: { readonly storeId: string; readonly names: readonly string[] },
    ): Promise<StoreRevisions | undefined> {
      const store = await loaderOf(scope, names).load({ id: storeId, scope });
      return store && names.includes('currency') ? { ...store, currency: currencyOf(store) } : (store ?? undefined);
    },
    list: createList(query, { name: 'store', selection: stores, searchedText }),
    /** Oldest first. */
    findOfMerchants: (scope: AccessScope, merchantIds: readonly string[]) =>
      findOfMerchants(query, scope, [merchantIds]),
  };
}
