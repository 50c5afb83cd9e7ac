import { OperatorError } from '@carte/base/errors';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { queryIn, retryTransaction } from '../database/query.ts';
import { MenuItemEntity } from '../menu/entities.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { IdempotencyKeyEntity, OrderEntity } from '../order/entities.ts';
import { DueTimeEntity, StoreEntity } from '../store/entities.ts';
import { demoIds, loadRestaurants } from './load.ts';

/**
 * Restores the demo in one transaction to what a first start loads. Its merchants and stores are updated in place: deleting them would
 * delete the grants of API keys with them. Returns how many of its merchants, stores and menus had changed, and how many orders it had and has.
 */
export async function resetDemo(em: EntityManager) {
  const [merchantIds, storeIds] = [demoIds('merchants'), demoIds('stores')];
  return retryTransaction(() =>
    em.transactional(async tx => {
      // By its merchants, whose names are invented; a store of yours may well have an id such as "lisbon-baixa".
      if ((await tx.count(MerchantEntity, { id: { $in: merchantIds } })) === 0) {
        throw new OperatorError(
          `This database has no demo: there is no merchant ${merchantIds.join(' or ')}. \`carte serve\` loads it when it starts on an empty embedded database.`,
        );
      }
      const before = await lockStores(tx, storeIds);
      const removedOrders = await tx.nativeDelete(OrderEntity, { store: { $in: storeIds } });
      await tx.nativeDelete(IdempotencyKeyEntity, { store: { $in: storeIds } });
      await tx.nativeUpdate(
        StoreEntity,
        { id: { $in: storeIds } },
        { ordering: null, guestOrders: true, preparationMinutes: 0, specialHours: null },
      );
      await tx.nativeDelete(DueTimeEntity, { store: { $in: storeIds } });
      await queryIn(tx)("select set_config('carte.change_source', 'DEMO', true)", []);
      // A replacement preserves it.
      await tx.nativeUpdate(
        MenuItemEntity,
        { store: { $in: storeIds }, preparationType: { $ne: null } },
        { preparationType: null },
      );
      const { merchants, stores, menuRevisions, orders } = await loadRestaurants(tx, new Date());
      const menus = storeIds.filter(id => menuRevisions.get(id) !== before.get(id)).length;
      return {
        merchants: { changed: merchants, total: merchantIds.length },
        stores: { changed: stores, total: storeIds.length },
        menus: { changed: menus, total: storeIds.length },
        removedOrders,
        orders,
      };
    }),
  );
}

/** Locks the stores before their orders and menus, as other writers do, and returns their menu revisions. */
async function lockStores(em: EntityManager, storeIds: readonly string[]): Promise<Map<string, number>> {
  const stores = await em.find(
    StoreEntity,
    { id: { $in: [...storeIds] } },
    {
      fields: ['id', 'menuRevision'],
      orderBy: { id: 'asc' },
      lockMode: LockMode.PESSIMISTIC_WRITE,
      // Not managed, so that the stores are read again when they are restored.
      disableIdentityMap: true,
    },
  );
  return new Map(stores.map(({ id, menuRevision }) => [id, menuRevision]));
}
