import { hash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OperatorError } from '../errors.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { StoreEntity } from '../store/entities.ts';
import { type ApiKey, ApiKeyEntity, GrantEntity } from './entities.ts';
import type { Permission } from './scope.ts';

/** Identifies our keys in logs, secret scanners and vaults. */
const prefix = 'carte_';

export interface KeyRequest {
  readonly name: string;
  readonly all: boolean;
  readonly merchantIds: readonly string[];
  readonly storeIds: readonly string[];
  readonly permissions: readonly Permission[];
  readonly expiresAt?: Date | undefined;
}

/** A new key; it is not stored and cannot be shown again. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

export async function issueKey(em: EntityManager, request: KeyRequest): Promise<IssuedKey> {
  await validateRequest(em, request);
  const key = generateKey();
  const row = em.create(ApiKeyEntity, {
    id: `key_${randomBytes(6).toString('hex')}`,
    name: request.name,
    hash: hashKey(key),
    allAccess: request.all,
    permissions: [...request.permissions],
    createdAt: new Date(),
    expiresAt: request.expiresAt ?? null,
  });
  for (const merchant of request.merchantIds) em.create(GrantEntity, { key: row, merchant });
  for (const store of request.storeIds) em.create(GrantEntity, { key: row, store });
  await em.flush();
  return { id: row.id, key };
}

/** Every key with its grants, oldest first. */
export async function listKeys(em: EntityManager) {
  return em.find(ApiKeyEntity, {}, { populate: ['grants'], orderBy: { createdAt: 'asc', id: 'asc' } });
}

export async function revokeKey(em: EntityManager, id: string): Promise<void> {
  const key = await findKey(em, id);
  key.revokedAt ??= new Date();
  await em.flush();
}

/** Replaces the key's secret at once; name, grants and expiry stay. */
export async function rotateKey(em: EntityManager, id: string): Promise<IssuedKey> {
  const row = await findKey(em, id);
  if (row.revokedAt) throw new OperatorError(`The key ${id} is revoked; create a new one.`);
  const key = generateKey();
  row.hash = hashKey(key);
  await em.flush();
  return { id, key };
}

function generateKey(): string {
  return prefix + randomBytes(32).toString('base64url');
}

async function findKey(em: EntityManager, id: string): Promise<ApiKey> {
  const key = await em.findOne(ApiKeyEntity, { id });
  if (!key) throw new OperatorError(`There is no key ${id}; \`carte key list\` shows them all.`);
  return key;
}

async function validateRequest(em: EntityManager, request: KeyRequest): Promise<void> {
  const { all, merchantIds, storeIds, permissions, expiresAt } = request;
  const grants = merchantIds.length + storeIds.length;
  if (all && grants > 0)
    throw new OperatorError('A key has access to all, or to certain merchants and stores, not both.');
  if (!all && grants === 0)
    throw new OperatorError('Give the key an access scope: --all, --merchant ID or --store ID.');
  if (permissions.includes('ADMIN') && !all)
    throw new OperatorError('The permission admin needs access to all merchants and stores: --all.');
  if (expiresAt && expiresAt <= new Date()) throw new OperatorError(`${expiresAt.toISOString()} is in the past.`);

  const merchants = await em.find(MerchantEntity, { id: { $in: [...merchantIds] } });
  const stores = await em.find(StoreEntity, { id: { $in: [...storeIds] } });
  for (const id of merchantIds) {
    if (!merchants.some(merchant => merchant.id === id)) throw new OperatorError(`There is no merchant ${id}.`);
  }
  for (const id of storeIds) {
    const store = stores.find(candidate => candidate.id === id);
    if (!store) throw new OperatorError(`There is no store ${id}.`);
    if (store.merchant && merchantIds.includes(store.merchant)) {
      throw new OperatorError(
        `Store ${id} belongs to merchant ${store.merchant}, whose stores are in the key's scope already.`,
      );
    }
  }
}
