import type { FilterDef } from '@mikro-orm/core';
import { Forbidden, Unauthenticated } from '../errors.ts';

/** What a key may see and do. Nothing is in scope unless it is listed here or `all` is set. */
export interface AccessScope {
  readonly all: boolean;
  readonly canWrite: boolean;
  /** Merchants with all their stores. */
  readonly merchantIds: readonly string[];
  /** Single stores. */
  readonly storeIds: readonly string[];
  /** The merchants of those stores: visible themselves, but not with their other stores. */
  readonly merchantIdsOfStores: readonly string[];
}

/** The scope of the operator at the command line. */
export const operatorScope: AccessScope = {
  all: true,
  canWrite: true,
  merchantIds: [],
  storeIds: [],
  merchantIdsOfStores: [],
};

/** The scope of a caller without a key. */
export const emptyScope: AccessScope = { ...operatorScope, all: false, canWrite: false };

export function requireKey(scope: AccessScope | undefined): AccessScope {
  if (!scope) throw new Unauthenticated('An API key is needed in the header x-api-key.');
  return scope;
}

export function requireWrite(scope: AccessScope | undefined): AccessScope {
  const known = requireKey(scope);
  if (!known.canWrite) throw new Forbidden('This API key may only read.');
  return known;
}

/** An entity is in scope when one of these properties is among the ids of the list beside it. */
export type ScopeRules = readonly { readonly property: string; readonly list: ScopeList }[];
type ScopeList = 'merchantIds' | 'storeIds' | 'merchantIdsOfStores';

/**
 * Who may see what is defined here and nowhere else. The rules become the condition of compiled queries, the filter of entity
 * managers and the check on a row that several callers share. Menus and orders are loaded through a store that is in scope.
 */
export const merchantScope: ScopeRules = [
  { property: 'id', list: 'merchantIds' },
  { property: 'id', list: 'merchantIdsOfStores' },
];

export const storeScope: ScopeRules = [
  { property: 'merchant', list: 'merchantIds' },
  { property: 'id', list: 'storeIds' },
];

/** The rules as a condition of MikroORM; `idsOf` gives the operand of each rule in turn. */
export function scopeCondition(rules: ScopeRules, idsOf: (list: ScopeList, index: number) => unknown): object {
  return { $or: rules.map(({ property, list }, index) => ({ [property]: idsOf(list, index) })) };
}

/** The filter of an entity that the rules are about, or of one that leads to it. An entity manager without a scope is refused. */
export function scopeFilter(rules: ScopeRules, relation?: string): Record<'scope', FilterDef> {
  const cond = (args: object) => {
    const scope = args as AccessScope;
    if (scope.all) return {};
    const condition = scopeCondition(rules, list => ({ $in: [...scope[list]] }));
    return relation ? { [relation]: condition } : condition;
  };
  return { scope: { name: 'scope', default: true, args: true, cond } };
}

export function isInScope(rules: ScopeRules, scope: AccessScope, entity: object): boolean {
  const values = entity as Readonly<Record<string, unknown>>;
  return scope.all || rules.some(({ property, list }) => scope[list].some(id => id === values[property]));
}

/** Everything that is in any of the scopes, for reading on behalf of several callers. */
export function unionOf(scopes: readonly AccessScope[]): AccessScope {
  const [first = emptyScope, ...others] = scopes;
  if (others.length === 0) return first;
  return {
    all: scopes.some(scope => scope.all),
    canWrite: false,
    merchantIds: scopes.flatMap(scope => scope.merchantIds),
    storeIds: scopes.flatMap(scope => scope.storeIds),
    merchantIdsOfStores: scopes.flatMap(scope => scope.merchantIdsOfStores),
  };
}
