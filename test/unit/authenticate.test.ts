import { expect, test } from 'vitest';
import { createAuthenticator } from '../../src/auth/authenticate.ts';
import { issueKey, revokeKey } from '../../src/auth/keys.ts';
import { createReadAccess } from '../../src/database/access.ts';
import { operatorFork } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { StatementCounter } from '../support/statements.ts';

const statements = new StatementCounter();
const orm = await createDatabase({ onPool: pool => statements.watch(pool) });
const { query } = await createReadAccess(orm);

const request = { name: 'till', all: true, merchantIds: [], storeIds: [], canWrite: false };

test('a key that was found is believed for the given time, without asking again', async () => {
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

test('a key that is not known is asked for each time, so that a new one works at once', async () => {
  const authenticate = createAuthenticator(query, { seconds: 3 });
  await expect(authenticate('carte_other')).rejects.toThrow('not known');
  const { key } = await issueKey(operatorFork(orm), request);
  expect((await authenticate(key)).scope.all).toBe(true);
});

test('a key is not believed beyond its own end', async () => {
  const expiresAt = new Date(Date.now() + 60_000);
  let now = expiresAt.getTime() - 1_000;
  const authenticate = createAuthenticator(query, { seconds: 3, now: () => now });
  const { key } = await issueKey(operatorFork(orm), { ...request, expiresAt });
  await authenticate(key);
  now = expiresAt.getTime();
  const { statements: sent } = await statements.during(async () => authenticate(key));
  expect(sent).toHaveLength(1);
});
