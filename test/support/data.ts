import { randomUUID } from 'node:crypto';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { issueKey } from '../../src/auth/keys.ts';
import type { KeyRequest } from '../../src/auth/validate.ts';
import { upsertRows } from '../../src/database/save.ts';
import type { ConfigurationInput } from '../../src/menu/kinds.ts';
import { replaceMenuConfiguration } from '../../src/menu/replace.ts';
import { type Merchant, MerchantEntity } from '../../src/merchant/entities.ts';
import { type Order, OrderEntity } from '../../src/order/entities.ts';
import { operatorScope, permissions, writePermissions } from '../../src/scope.ts';
import { type Store, StoreEntity } from '../../src/store/entities.ts';

export function operatorFork(orm: MikroORM): EntityManager {
  const em = orm.em.fork();
  em.setFilterParams('scope', { ...operatorScope });
  return em;
}

export function order(storeId: string, given: Partial<Order> = {}): Order {
  return {
    id: randomUUID(),
    store: storeId,
    createdAt: new Date('2026-03-01T12:00:00Z'),
    status: 'PENDING',
    customerName: 'Ana Lima',
    customerPhone: '+351 912 345 678',
    price: 1200,
    tax: 120,
    items: [{ name: 'Pastel de nata', quantity: 2 }],
    readyBy: new Date('2026-03-01T13:00:00Z'),
    isRead: false,
    inPos: false,
    customerComments: null,
    completedAt: null,
    serviceType: null,
    service: null,
    steps: null,
    placedBy: null,
    placedByGuest: false,
    revision: 0,
    ...given,
  };
}

/** Issues a key; what the request does not name is that of a key that reads and writes everything. */
/** All that a secret key can have. */
export const secretPermissions = permissions.filter(permission => permission !== 'PLACE_GUEST_ORDERS');

export async function createKey(orm: MikroORM, request: Partial<KeyRequest> = {}): Promise<string> {
  const all = !request.merchantIds && !request.storeIds;
  const full = { name: 'test', all, merchantIds: [], storeIds: [], permissions: writePermissions, ...request };
  return (await issueKey(operatorFork(orm), full)).key;
}

/** Makes what a test needs; everything that a test does not name has a plain value. */
export function createData(orm: MikroORM) {
  const data = {
    async merchant(given: Partial<Merchant> = {}): Promise<Merchant> {
      const em = operatorFork(orm);
      const merchant = em.create(MerchantEntity, {
        id: randomUUID(),
        brandName: 'Casa Verde',
        createdAt: new Date('2026-01-01T00:00:00Z'),
        ...given,
      });
      await em.flush();
      return merchant;
    },

    /** A store; of a merchant of its own unless one (or null) is given. */
    async store(
      given: Partial<Omit<Store, 'merchant' | 'joinedMerchant'>> & { merchant?: string | null } = {},
    ): Promise<Store> {
      const merchant = given.merchant === undefined ? (await data.merchant()).id : given.merchant;
      const em = operatorFork(orm);
      const store = em.create(StoreEntity, {
        id: randomUUID(),
        name: { translations: { en: 'Baixa' } },
        createdAt: new Date('2026-01-02T00:00:00Z'),
        menuRevision: 0,
        ...given,
        merchant,
      });
      await em.flush();
      return store;
    },

    async orders(store: Store, count: number, given: Partial<Order> = {}): Promise<Order[]> {
      const orders = Array.from({ length: count }, (_, index) =>
        order(store.id, { createdAt: new Date(Date.UTC(2026, 2, 1, 12, 0, index)), ...given }),
      );
      await upsertRows(
        operatorFork(orm),
        OrderEntity,
        orders.map(each => ({ ...each })),
      );
      return orders;
    },

    async menu(store: Store, input: ConfigurationInput = smallMenu()): Promise<void> {
      await replaceMenuConfiguration(operatorFork(orm), store, { input });
    },
  };
  return data;
}

export type Data = ReturnType<typeof createData>;

/** One entity of each kind, each linked to the next, and a modifier item that stands for the item. */
export function smallMenu(text = 'Lunch'): ConfigurationInput {
  const name = { translations: { en: text } };
  return {
    menus: [
      {
        externalId: 'menu',
        name,
        availability: [{ dayOfWeek: 'MON', timePeriods: [{ startTime: '11:00', endTime: '15:00' }] }],
        categoryExternalIds: ['category'],
      },
    ],
    categories: [{ externalId: 'category', name, description: name, itemExternalIds: ['item'] }],
    items: [
      {
        externalId: 'item',
        name,
        description: name,
        price: 950,
        tax: 95,
        sellSeparately: true,
        modifierGroupExternalIds: ['group'],
      },
    ],
    modifierGroups: [
      {
        externalId: 'group',
        type: 'CHOICE',
        name,
        groupMin: 0,
        groupMax: 2,
        chargeAfter: 0,
        modifierItemExternalIds: ['modifier'],
      },
    ],
    modifierItems: [
      {
        externalId: 'modifier',
        name,
        priceChange: 100,
        taxChange: 10,
        minQuantity: 0,
        maxQuantity: 1,
        defaultQuantity: 0,
        itemExternalId: 'item',
      },
    ],
  };
}
