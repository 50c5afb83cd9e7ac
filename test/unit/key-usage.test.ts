import { expect, test } from 'vitest';
import { ApiKeyEntity } from '../../src/auth/entities.ts';
import { createAuthenticator } from '../../src/auth/key-cache.ts';
import { createKeyUsage } from '../../src/auth/key-usage.ts';
import { issueKey, rotateKey } from '../../src/auth/keys.ts';
import { createReadAccess } from '../../src/database/pool.ts';
import { operatorFork } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';

const orm = await createDatabase();
const { query } = await createReadAccess(orm);

const newKey = () =>
  issueKey(operatorFork(orm), { name: 'pos', all: true, merchantIds: [], storeIds: [], permissions: [] });
const lastUseOf = async (id: string) => (await operatorFork(orm).findOneOrFail(ApiKeyEntity, { id })).lastUsedAt;
const fail = (error: unknown) => {
  throw error;
};

/** Authenticates as a process of its own, and records the use as its shutdown does. */
async function useInProcess(key: string): Promise<void> {
  const usage = createKeyUsage(query, fail);
  await createAuthenticator(query, { seconds: 0, onUse: (...use) => usage.record(...use) })(key);
  await usage.close();
}

test('the use of a key is recorded again after a minute, whichever process it is', async () => {
  const { id, key } = await newKey();
  expect(await lastUseOf(id)).toBeNull();
  const before = Date.now();
  await useInProcess(key);
  const first = (await lastUseOf(id))?.getTime() ?? 0;
  expect(first).toBeGreaterThanOrEqual(before - 1);
  expect(first).toBeLessThanOrEqual(Date.now());
  await useInProcess(key);
  expect((await lastUseOf(id))?.getTime()).toBe(first);
  await query("update api_key set last_used_at = last_used_at - interval '61 seconds' where id = $1", [id]);
  await useInProcess(key);
  expect((await lastUseOf(id))?.getTime()).toBeGreaterThanOrEqual(first);
});

test('a use of an earlier time does not replace a later one', async () => {
  const { id } = await newKey();
  const [earlier, later] = [new Date(Date.now() - 1000), new Date()];
  for (const usedAt of [later, earlier]) {
    const usage = createKeyUsage(query, fail);
    usage.record(id, usedAt);
    await usage.close();
  }
  expect(await lastUseOf(id)).toEqual(later);
});

test('a key that is being changed is authenticated without waiting, and its use is left to the next time', async () => {
  const { id, key } = await newKey();
  const rotated = await operatorFork(orm).transactional(async em => {
    const issued = await rotateKey(em, id);
    await useInProcess(key);
    return issued;
  });
  expect(await lastUseOf(id)).toBeNull();
  await useInProcess(rotated?.key ?? '');
  expect(await lastUseOf(id)).not.toBeNull();
});

test('an error is reported, and does not fail the shutdown', async () => {
  const errors: unknown[] = [];
  const usage = createKeyUsage(
    async () => fail(new Error('read-only')),
    error => errors.push(error),
  );
  usage.record('key_x', new Date());
  await usage.close();
  expect(errors).toEqual([new Error('read-only')]);
});
