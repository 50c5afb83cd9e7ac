import { storeScope } from '../auth/scope.ts';
import type { ReadAccess } from '../database/access.ts';
import { createBatchLoader } from '../database/batch-loader.ts';
import { Selection } from '../database/entity-query.ts';
import { type Store, StoreEntity } from '../store/entities.ts';
import type { Search } from './arguments.ts';
import { type Order, OrderEntity, type StoreSummary, storeSummaryFields } from './entities.ts';
import { countOrders, findOrders, type OrderPage } from './search.ts';

export type OrderRepository = ReturnType<typeof createOrderRepository>;

export function createOrderRepository({ em, query, primary }: ReadAccess) {
  // Whoever sees a store sees its orders.
  const scope = { rules: storeScope, relation: 'store', subjectOf: (order: Order) => order.storeSummary };
  const orders = new Selection<Order, StoreSummary & Pick<Store, 'merchant'>>(em, {
    entity: OrderEntity,
    scope,
    join: {
      relation: 'store',
      entity: StoreEntity,
      fields: [...storeSummaryFields, 'merchant'],
      attach: (order, store) => {
        if (store) order.storeSummary = store;
      },
    },
  });
  // Of stores that were themselves loaded in scope.
  const ofStores = new Selection<Order>(em, { entity: OrderEntity, scope });
  return {
    byId: createBatchLoader(orders, primary),
    findPages: (pages: readonly OrderPage[], search: Search) => findOrders(query, ofStores, pages, search),
    countPages: (pages: readonly OrderPage[], search: Search) => countOrders(query, pages, search),
  };
}
