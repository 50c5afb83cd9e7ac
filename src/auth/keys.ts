import { hash, randomBytes } from 'node:crypto';
import { InvalidInput } from '@carte/base/errors';
import type { EntityManager } from '@mikro-orm/postgresql';
import { permissions } from '../scope.ts';
import { type ApiKey, ApiKeyEntity, type ApiKeyWithGrants, type Grant, GrantEntity } from './entities.ts';
import { type KeyRequest, validateKeyRequest } from './validate.ts';

/** Identify our keys in logs, secret scanners and vaults; a publishable one is no secret. */
const prefix = 'carte_';
const publishablePrefix = 'carte_pub_';
/** Of a key with READ_OWN_ORDERS; by its length it is no other one by chance. */
const ownPrefix = 'carte_own_';
const ownKey = /^carte_own_[\w-]{43}$/;

/** Whether a text is one of our keys by its form. */
export const isKey = (text: string): boolean => text.startsWith(prefix);

export const isPublishable = (key: string): boolean => key.startsWith(publishablePrefix);

/** A key with its secret, which is not stored and cannot be shown again. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/** The parent value of `ApiKeyScope`. */
export interface KeyScope {
  readonly all: boolean;
  readonly grants: readonly Pick<Grant, 'merchant' | 'store'>[];
}

/**
 * Keys of kinds that an older version does not know are hashed with a prefix, so that its processes do not find them: to these, a publishable key is a
 * secret one, and READ_OWN_ORDERS no restriction.
 */
export function hashKey(key: string): Buffer {
  const kind = isPublishable(key) ? 'publishable ' : ownKey.test(key) ? 'own ' : '';
  return hash('sha256', kind + key, 'buffer');
}

/** Throws `InvalidInput` with every error of the request. */
export async function issueKey(em: EntityManager, request: KeyRequest): Promise<IssuedKey> {
  await validateKeyRequest(em, request);
  const { publishable = false, origins = [] } = request;
  const key = generateKey(request);
  const row = em.create(ApiKeyEntity, {
    id: `key_${randomBytes(6).toString('hex')}`,
    name: request.name,
    hash: hashKey(key),
    allAccess: request.all,
    permissions: permissions.filter(permission => request.permissions.includes(permission)),
    publishable,
    origins: [...new Set(origins)],
    createdAt: new Date(),
    expiresAt: request.expiresAt ?? null,
  });
  for (const merchant of new Set(request.merchantIds)) em.create(GrantEntity, { key: row, merchant });
  for (const store of new Set(request.storeIds)) em.create(GrantEntity, { key: row, store });
  await em.flush();
  return { id: row.id, key };
}

/** Every key with its grants, oldest first. */
export function listKeys(em: EntityManager): Promise<ApiKeyWithGrants[]> {
  const withGrants = { populate: ['grants'], populateOrderBy: { grants: { id: 'asc' } } } as const;
  return em.find(ApiKeyEntity, {}, { ...withGrants, orderBy: { createdAt: 'asc', id: 'asc' } });
}

export async function findKey(em: EntityManager, id: string): Promise<ApiKey | null> {
  // PostgreSQL rejects text with NUL, so no key has such an id.
  return id.includes('\0') ? null : em.findOne(ApiKeyEntity, { id });
}

/** Revokes a key, once and for all; null if there is no such key. */
export async function revokeKey(em: EntityManager, id: string): Promise<ApiKey | null> {
  const key = await findKey(em, id);
  if (!key) return null;
  key.revokedAt ??= new Date();
  await em.flush();
  return key;
}

/** Replaces the key's secret; name, grants and expiry stay. Null if there is no such key; throws `InvalidInput` if it is revoked or expired. */
export async function rotateKey(em: EntityManager, id: string): Promise<IssuedKey | null> {
  const row = await findKey(em, id);
  if (!row) return null;
  const isExpired = row.expiresAt !== null && row.expiresAt !== undefined && row.expiresAt <= new Date();
  if (row.revokedAt || isExpired) {
    const message = `The key ${id} ${row.revokedAt ? 'is revoked' : 'has expired'}; create a new one.`;
    throw new InvalidInput([{ path: ['apiKeyId'], type: 'value_error', message }]);
  }
  const key = generateKey(row);
  row.hash = hashKey(key);
  await em.flush();
  return { id, key };
}

function generateKey({ publishable, permissions: granted }: Pick<KeyRequest, 'publishable' | 'permissions'>): string {
  const secretPrefix = granted.includes('READ_OWN_ORDERS') ? ownPrefix : prefix;
  return (publishable ? publishablePrefix : secretPrefix) + randomBytes(32).toString('base64url');
}
