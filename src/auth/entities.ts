import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { MerchantEntity } from '../merchant/entities.ts';
import { permissions } from '../scope.ts';
import { StoreEntity } from '../store/entities.ts';

export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.text().primary().collation('C'),
    name: p.text(),
    /** SHA-256 of the key, which is not stored itself. */
    hash: p.blob().unique(),
    /** Explicit, since a key whose grants were deleted must see nothing. */
    allAccess: p.boolean(),
    permissions: p.enum(permissions).array().default([]),
    /** Whether it may be in a web page: it reads what guests may see, from pages of these origins. */
    publishable: p.boolean().default(false),
    origins: p.array().default([]),
    /** Of no use; but MikroORM returns it from each insert, also in processes of 0.2.0 that still run while others are restarted. */
    canWrite: p.boolean().generated(`('MENU' = any (permissions)) stored`).nullable().lazy().hidden(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    /** Recorded by `key-usage.ts`, with a precision of a minute. */
    lastUsedAt: p.datetime(3).nullable(),
    grants: () => p.oneToMany(GrantEntity).mappedBy('key'),
  },
});

/** Grants access to a merchant with all its stores, or to a single store: exactly one of the two. */
export const GrantEntity = defineEntity({
  name: 'Grant',
  tableName: 'api_key_grant',
  checks: [{ name: 'api_key_grant_one_subject', expression: 'num_nonnulls(merchant_id, store_id) = 1' }],
  properties: {
    id: p.integer().primary().autoincrement(),
    key: () => p.manyToOne(ApiKeyEntity).deleteRule('cascade').index(),
    merchant: () => p.manyToOne(MerchantEntity).mapToPk().nullable().deleteRule('cascade').index(),
    store: () => p.manyToOne(StoreEntity).mapToPk().nullable().deleteRule('cascade').index(),
  },
});

export type ApiKeyWithGrants = InferEntity<typeof ApiKeyEntity>;
export type ApiKey = Omit<ApiKeyWithGrants, 'grants'>;
export type Grant = InferEntity<typeof GrantEntity>;
