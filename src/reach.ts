import type { FilterDef } from '@mikro-orm/core';

/** What a caller may see and do. Nothing is reachable unless it is listed here or `all` is set. */
export interface Reach {
  readonly all: boolean;
  readonly canWrite: boolean;
  /** Merchants with all their stores. */
  readonly merchantIds: readonly string[];
  /** Single stores; their merchants are visible too, but not the merchants' other stores. */
  readonly storeIds: readonly string[];
  readonly merchantIdsOfStores: readonly string[];
}

/** The reach of the operator at the command line. */
export const operatorReach: Reach = {
  all: true,
  canWrite: true,
  merchantIds: [],
  storeIds: [],
  merchantIdsOfStores: [],
};

/** The reach of a caller without a key. */
export const nothing: Reach = { ...operatorReach, all: false, canWrite: false };

const visibleMerchants = (reach: Reach) =>
  reach.all ? {} : { id: { $in: [...reach.merchantIds, ...reach.merchantIdsOfStores] } };

const visibleStores = (reach: Reach) =>
  reach.all ? {} : { $or: [{ merchant: { $in: [...reach.merchantIds] } }, { id: { $in: [...reach.storeIds] } }] };

const visibleOrders = (reach: Reach) => (reach.all ? {} : { store: visibleStores(reach) });

/**
 * This file is the one place that decides who may see what. MikroORM adds the condition to every query for the entity, and
 * refuses one without a reach; the graph's own statements take it from `storesWithin` and `merchantsWithin` below, and menus
 * and orders are loaded only for a store that was itself loaded within reach.
 */
const filter = (cond: (reach: Reach) => object): Record<'reach', FilterDef> => ({
  reach: { name: 'reach', default: true, args: true, cond: args => cond(args as Reach) },
});

export const reachOfMerchants = filter(visibleMerchants);
export const reachOfStores = filter(visibleStores);
export const reachOfOrders = filter(visibleOrders);

/** The same conditions in SQL, for statements that are written by hand: `$n` onwards are the values that it answers. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** The same conditions on what has been read. */
export const reachesMerchant = (reach: Reach, id: string): boolean =>
  reach.all || reach.merchantIds.includes(id) || reach.merchantIdsOfStores.includes(id);

export const reachesStore = (reach: Reach, { id, merchant }: ReachedStore): boolean =>
  reach.all || reach.storeIds.includes(id) || (merchant !== null && reach.merchantIds.includes(merchant));

interface ReachedStore {
  readonly id: string;
  readonly merchant: string | null;
}

/** Everything that any of them reaches. */
export function unionOf(reaches: readonly Reach[]): Reach {
  const [first = nothing, ...others] = reaches;
  if (others.length === 0) return first;
  return {
    all: reaches.some(reach => reach.all),
    canWrite: false,
    merchantIds: reaches.flatMap(reach => reach.merchantIds),
    storeIds: reaches.flatMap(reach => reach.storeIds),
    merchantIdsOfStores: reaches.flatMap(reach => reach.merchantIdsOfStores),
  };
}

const everything: Condition = { sql: 'true', values: [] };

export function merchantsWithin(reach: Reach, table: string, n: number): Condition {
  if (reach.all) return everything;
  return { sql: `${table}.id = any($${n})`, values: [[...reach.merchantIds, ...reach.merchantIdsOfStores]] };
}

export function storesWithin(reach: Reach, table: string, n: number): Condition {
  if (reach.all) return everything;
  const sql = `(${table}.merchant_id = any($${n}) or ${table}.id = any($${n + 1}))`;
  return { sql, values: [reach.merchantIds, reach.storeIds] };
}
