import { Forbidden, Unauthenticated } from '@carte/base/errors';
import type { EntityManager, FilterDef } from '@mikro-orm/core';

/** A key that names no permission for reading has these. READ_OWN_ORDERS, a part of READ_ORDERS, is one as well. */
export const readPermissions = ['READ_MENUS', 'READ_ORDERS', 'READ_HISTORY'] as const;
export type ReadPermission = (typeof readPermissions)[number] | 'READ_OWN_ORDERS';

/** What a key may do. */
export const permissions = [
  'ORDERS',
  'STOCK',
  'MENU',
  'ADMIN',
  ...readPermissions,
  'READ_OWN_ORDERS',
  'PLACE_GUEST_ORDERS',
] as const;
export type Permission = (typeof permissions)[number];

/** What `--write` grants. */
export const writePermissions: readonly Permission[] = ['ORDERS', 'STOCK', 'MENU'];

/** What a key may read and write: only what is listed here, unless `all` is set. */
export interface AccessScope {
  /** The id of the API key; undefined for commands. */
  readonly keyId?: string;
  readonly all: boolean;
  readonly permissions: readonly Permission[];
  /** Merchants with all their stores. */
  readonly merchantIds: readonly string[];
  /** Single stores. */
  readonly storeIds: readonly string[];
  /** The merchants of those stores: visible, but without their other stores. */
  readonly merchantIdsOfStores: readonly string[];
  /** The merchant of each of those stores when this was read: one that has another since was sold, and the grant has ended. */
  readonly merchantsByStore?: Readonly<Record<string, string | null>>;
  /** Whether the key may be in a web page: it reads what guests may see, and changes nothing but orders of guests. */
  readonly publishable?: boolean;
  /** The origins of the pages that a publishable key is for. */
  readonly origins?: readonly string[];
  /** The name of the key, which the menu history records; absent for commands. */
  readonly keyName?: string;
}

/** The authenticated API key. */
export interface Caller {
  readonly keyId: string;
  /** When the key expires, in milliseconds since 1970; absent for never. */
  readonly expiresAt?: number;
  readonly scope: AccessScope;
}

/** The scope of commands. */
export const operatorScope: AccessScope = {
  all: true,
  permissions,
  merchantIds: [],
  storeIds: [],
  merchantIdsOfStores: [],
};

/** The scope of a request without a key. */
export const emptyScope: AccessScope = { ...operatorScope, all: false, permissions: [] };

export function requireKey(scope: AccessScope | undefined): AccessScope {
  if (!scope) throw new Unauthenticated('An API key is needed in the header x-api-key.');
  return scope;
}

/** Throws unless the key has the permission; ADMIN also requires access to every merchant and store. */
export function requirePermission(scope: AccessScope | undefined, permission: Permission): AccessScope {
  const keyScope = requireKey(scope);
  const { all, permissions: granted } = keyScope;
  if (granted.every(isReadPermission)) throw new Forbidden('This API key may only read.');
  if (!granted.includes(permission)) {
    throw new Forbidden(`This API key does not have the permission ${permission}; it has ${granted.join(', ')}.`);
  }
  // A key is not issued like this; its row may have been changed by hand.
  if (permission === 'ADMIN' && !all) {
    throw new Forbidden('The permission ADMIN is only for keys with access to all merchants and stores.');
  }
  return keyScope;
}

export const isAdmin = (scope: AccessScope | undefined): boolean =>
  scope?.all === true && scope.permissions.includes('ADMIN');

/** By its name, so that a process does not take one that only a later version knows for none, which would be for all. */
export function isReadPermission(permission: Permission): permission is ReadPermission {
  return permission.startsWith('READ_');
}

/** The permissions for reading that a key has; a publishable key reads of menus what guests may see. */
export function readPermissionsOf({
  permissions: granted,
  publishable = false,
}: Pick<AccessScope, 'permissions' | 'publishable'>): readonly ReadPermission[] {
  if (publishable) return ['READ_MENUS'];
  const named = granted.filter(isReadPermission);
  return named.length > 0 ? named : readPermissions;
}

interface PlacedOrder {
  readonly placedBy?: string | null | undefined;
}

const hasPlaced = ({ keyId }: AccessScope, { placedBy }: PlacedOrder) => placedBy != null && placedBy === keyId;

/** Whether a key may learn what an order is: it may read orders, or has placed this one itself. */
export const mayKnowOrder = (scope: AccessScope, order: PlacedOrder): boolean =>
  readPermissionsOf(scope).includes('READ_ORDERS') || hasPlaced(scope, order);

/** Whether the orders of others do not exist for a key: it reads those that it has placed itself. */
export const hasOwnOrdersOnly = ({ permissions: granted }: AccessScope): boolean =>
  granted.includes('READ_OWN_ORDERS') && !granted.includes('READ_ORDERS');

export const readsMenus = (scope: AccessScope | undefined): boolean =>
  scope !== undefined && readPermissionsOf(scope).includes('READ_MENUS');

/** Whether a key reads orders, be it those that it has placed itself. */
export const readsOrders = (scope: AccessScope | undefined): boolean =>
  scope !== undefined && (readPermissionsOf(scope).includes('READ_ORDERS') || hasOwnOrdersOnly(scope));

/** Whether a key places orders of guests: it is publishable, and no other can. */
export const placesForGuests = (scope: AccessScope | undefined): boolean =>
  scope?.publishable === true && scope.permissions.includes('PLACE_GUEST_ORDERS');

/** Whether an order of a store in scope exists for a key; with a publishable one, a token is needed, too. */
export const isOrderInScope = (scope: AccessScope, order: PlacedOrder): boolean =>
  !(hasOwnOrdersOnly(scope) || scope.publishable) || hasPlaced(scope, order);

/**
 * Throws unless the key may read all of this, so that it gets nothing else through a key or a webhook that it creates. What another key has placed
 * is not its own.
 */
export function requireReading(scope: AccessScope | undefined, needed: readonly ReadPermission[]): void {
  const granted = readPermissionsOf(requireKey(scope));
  const missing = needed.filter(
    permission => !granted.includes(permission === 'READ_OWN_ORDERS' ? 'READ_ORDERS' : permission),
  );
  if (missing.length === 0) return;
  throw new Forbidden(`This API key has ${granted.join(', ')}, and cannot give away ${missing.join(', ')}.`);
}

/** An entity is in scope if, by any rule, its property is among the ids of the scope's list. */
export type ScopeRules = readonly { readonly property: string; readonly list: ScopeList }[];
type ScopeList = 'merchantIds' | 'storeIds' | 'merchantIdsOfStores';

/**
 * The only definition of access scope: it becomes the condition of compiled queries, the filter of entity managers, and the check on
 * entities that several callers load together. Menus and orders are loaded through a store in scope.
 */
export const merchantScope: ScopeRules = [
  { property: 'id', list: 'merchantIds' },
  { property: 'id', list: 'merchantIdsOfStores' },
];

export const storeScope: ScopeRules = [
  { property: 'merchant', list: 'merchantIds' },
  { property: 'id', list: 'storeIds' },
];

/** Converts rules to a MikroORM condition; `idsOf` returns the operand of each rule. */
export function scopeCondition(rules: ScopeRules, idsOf: (list: ScopeList, index: number) => unknown): object {
  return { $or: rules.map(({ property, list }, index) => ({ [property]: idsOf(list, index) })) };
}

/** Filter of an entity, or of its relation; queries of an entity manager without a scope fail. */
export function scopeFilter(rules: ScopeRules, relation?: string): Record<'scope', FilterDef> {
  const cond = (args: object) => {
    const scope = args as AccessScope;
    if (scope.all) return {};
    const condition = scopeCondition(rules, list => ({ $in: [...scope[list]] }));
    return relation ? { [relation]: condition } : condition;
  };
  return { scope: { name: 'scope', default: true, args: true, cond } };
}

/** Forks an entity manager whose queries are filtered by a scope. */
export function forkInScope<Manager extends EntityManager>(
  { em }: { readonly em: Manager },
  scope: AccessScope,
): Manager {
  const fork = em.fork();
  fork.setFilterParams('scope', { ...scope });
  return fork as Manager;
}

export function isInScope(rules: ScopeRules, scope: AccessScope, entity: object): boolean {
  const values = entity as Readonly<Record<string, unknown>>;
  const isGranted = ({ property, list }: ScopeRules[number]) =>
    scope[list].some(id => id === values[property] && !(list === 'storeIds' && isSold(scope, id, values.merchant)));
  return scope.all || rules.some(isGranted);
}

/** Whether a store that was granted has another merchant than when the scope was read; one without a merchant is not sold by getting one. */
export function isSold({ merchantsByStore }: AccessScope, storeId: string, merchantId: unknown): boolean {
  const merchantBefore = merchantsByStore?.[storeId] ?? null;
  return merchantBefore !== null && merchantBefore !== merchantId;
}

/** The union of scopes, for a query on behalf of several callers. */
export function unionOf(scopes: readonly AccessScope[]): AccessScope {
  const [first = emptyScope, ...others] = scopes;
  if (others.length === 0) return first;
  return {
    all: scopes.some(scope => scope.all),
    permissions: [],
    merchantIds: scopes.flatMap(scope => scope.merchantIds),
    storeIds: scopes.flatMap(scope => scope.storeIds),
    merchantIdsOfStores: scopes.flatMap(scope => scope.merchantIdsOfStores),
  };
}
