import { expect, test } from 'vitest';
import { createAuthenticator } from '../../src/auth/key-cache.ts';
import { issueKey, revokeKey } from '../../src/auth/keys.ts';
import { createReadAccess } from '../../src/database/pool.ts';
import { operatorFork } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { StatementCounter } from '../support/statements.ts';

const statements = new StatementCounter();
const orm = await createDatabase({ onPool: pool => statements.watch(pool) });
const { query } = await createReadAccess(orm);

const request = { name: 'pos', all: true, merchantIds: [], storeIds: [], permissions: [] };

test('a valid key is cached for the TTL, without another query', async () => {
  let now = 1_000_000;
  const authenticate = createAuthenticator(query, { seconds: 3, now: () => now });
  const { id, key } = await issueKey(operatorFork(orm), request);
  await authenticate(key);
  await revokeKey(operatorFork(orm), id);
  now += 2_999;
  const { result, statements: sent } = await statements.during(async () => authenticate(key));
  expect(result.keyId).toBe(id);
  expect(sent).toEqual([]);
  now += 1;
  await expect(authenticate(key)).rejects.toThrow('not known, or no longer valid');
});

test('an unknown key is not cached, so that a new one works at once', async () => {
  const authenticate = createAuthenticator(query, { seconds: 3 });
  for (const _ of [1, 2]) {
    const { statements: sent } = await statements.during(() =>
      expect(authenticate('carte_other')).rejects.toThrow('not known'),
    );
    expect(sent).toHaveLength(1);
  }
});

test('a key is not cached beyond its expiry', async () => {
  const expiresAt = new Date(Date.now() + 60_000);
  let now = expiresAt.getTime() - 1_000;
  const authenticate = createAuthenticator(query, { seconds: 3, now: () => now });
  const { key } = await issueKey(operatorFork(orm), { ...request, expiresAt });
  await authenticate(key);
  now = expiresAt.getTime();
  const { statements: sent } = await statements.during(async () => authenticate(key));
  expect(sent).toHaveLength(1);
});
