import { expect, test } from 'vitest';
import { ApiKeyEntity } from '../../src/auth/entities.ts';
import { createAuthenticator } from '../../src/auth/key-cache.ts';
import { issueKey } from '../../src/auth/keys.ts';
import { createReadAccess } from '../../src/database/pool.ts';
import { writePermissions } from '../../src/scope.ts';
import { createData, operatorFork } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { urlOf } from '../support/url.ts';
import { run } from './support.ts';

const orm = await createDatabase();
const env = { DATABASE_URL: urlOf(orm) };
const store = await createData(orm).store();
const authenticate = createAuthenticator((await createReadAccess(orm)).primary, { seconds: 0 });
const readOnly = { merchantIds: [], storeIds: [], permissions: [] };
const key = (...args: readonly string[]) => run(['key', ...args], env);

test('key create prints the key alone, and only its hash is stored', async () => {
  const { code, stdout } = await key('create', '--name', 'till', '--store', store.id, '--write');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^carte_[\w-]{43}\n$/);
  const rows = await operatorFork(orm).execute('select * from api_key');
  expect(JSON.stringify(rows)).not.toContain(stdout.trim());
  expect((await authenticate(stdout.trim())).scope).toEqual({
    keyId: expect.stringMatching(/^key_/),
    keyName: 'till',
    publishable: false,
    origins: [],
    all: false,
    permissions: writePermissions,
    merchantIds: [],
    storeIds: [store.id],
    merchantIdsOfStores: [store.merchant],
    merchantsByStore: { [store.id]: store.merchant },
  });
});

test('key create without --write and --can issues a read-only key', async () => {
  const { stdout } = await key('create', '--name', 'viewer', '--merchant', String(store.merchant));
  expect((await authenticate(stdout.trim())).scope).toMatchObject({
    permissions: [],
    merchantIds: [store.merchant],
  });
});

test('key create --can grants just these permissions', async () => {
  const { stdout } = await key('create', '--name', 'web shop', '--store', store.id, '--can', 'stock,read-menus,orders');
  const { scope } = await authenticate(stdout.trim());
  expect(scope).toMatchObject({ permissions: ['ORDERS', 'STOCK', 'READ_MENUS'] });
  expect((await key('list')).stdout).toMatch(/web shop +orders,stock,read-menus +store /);
});

test('key list shows every key and no secret; key revoke and rotate invalidate the old one', async () => {
  const secret = (await key('create', '--name', 'front end', '--all', '--expires', '2199-01-01')).stdout.trim();
  const { id } = await operatorFork(orm).findOneOrFail(ApiKeyEntity, { name: 'front end' });
  const listed = await key('list');
  expect(listed.stdout).toMatch(new RegExp(`${id} +front end +read +all +\\S+ +never +valid until 2199-01-01`));
  expect(listed.stdout).not.toContain(secret);

  const rotated = (await key('rotate', id)).stdout.trim();
  await expect(authenticate(secret)).rejects.toThrow('not known');
  expect(await authenticate(rotated)).toMatchObject({ keyId: id });

  expect(await key('revoke', id)).toMatchObject({ code: 0 });
  await expect(authenticate(rotated)).rejects.toThrow('not known');
  expect((await key('list')).stdout).toMatch(new RegExp(`${id} .*revoked`));
  expect((await key('rotate', id)).stderr).toBe(`carte: The key ${id} is revoked; create a new one.\n`);
});

test('key create --publishable issues a key for the pages of its origins', async () => {
  const origins = ['--origin', 'https://menu.example', '--origin', 'http://localhost:5173'];
  const { stdout, stderr } = await key('create', '--name', 'menu page', '--all', '--publishable', ...origins);
  expect(stdout).toMatch(/^carte_pub_[\w-]{43}\n$/);
  expect(stderr).toContain('It may be in a web page; it is not shown again.');
  const { scope } = await authenticate(stdout.trim());
  expect(scope).toMatchObject({ publishable: true, origins: ['https://menu.example', 'http://localhost:5173'] });
  expect((await key('list')).stdout).toMatch(
    /menu page +publishable https:\/\/menu.example http:\/\/localhost:5173 +all/,
  );
});

test('key list shows when a key was last used', async () => {
  const { id } = await issueKey(operatorFork(orm), { name: 'seen', all: true, ...readOnly });
  await operatorFork(orm).execute("update api_key set last_used_at = '2026-03-01T18:30:00Z' where id = ?", [id]);
  expect((await key('list')).stdout).toMatch(new RegExp(`${id} .* 2026-03-01T18:30:00.000Z +valid`));
});

test.each([
  [['create', '--name', 'x'], 'carte: A key needs an access scope: --all, --merchant ID or --store ID.'],
  [['create', '--name', 'x', '--all', '--expires', '2020-01-01'], 'carte: 2020-01-01T00:00:00.000Z is in the past.'],
  [['revoke', 'no-such'], 'carte: There is no key no-such; `carte key list` shows them all.'],
  [['rotate', 'no-such'], 'carte: There is no key no-such; `carte key list` shows them all.'],
])('key %j reports the error', async (args, message) => {
  const { code, stdout, stderr } = await key(...args);
  expect({ code, stdout, stderr: stderr.trim() }).toEqual({ code: 1, stdout: '', stderr: message });
});

test('key create reports every error at once', async () => {
  const subjects = ['--merchant', 'no-such', '--merchant', String(store.merchant), '--store', store.id, '--store', ''];
  const options = ['--all', '--can', 'admin', '--expires', '2020-01-01'];
  const withAll = await key('create', '--name', ' ', ...subjects, ...options);
  expect({ ...withAll, stderr: withAll.stderr.trim().split('\n') }).toMatchObject({
    code: 1,
    stdout: '',
    stderr: [
      'carte: The name of a key must not be empty.',
      'carte: A key has access to all, or to certain merchants and stores, not both.',
      'carte: There is no merchant "no-such".',
      `carte: Store ${store.id} belongs to merchant ${store.merchant}, whose stores are in the key's scope already.`,
      'carte: There is no store "".',
      'carte: 2020-01-01T00:00:00.000Z is in the past.',
    ],
  });
  const scoped = await key('create', '--name', 'x', '--store', 'no-such', '--can', 'admin');
  expect(scoped.stderr.trim().split('\n')).toEqual([
    'carte: There is no store "no-such".',
    'carte: The permission ADMIN is only for keys with access to all merchants and stores.',
  ]);
});
