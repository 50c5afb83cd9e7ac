import { expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import type { Query } from '../../src/database/query.ts';
import { type AccessScope, emptyScope, operatorScope } from '../../src/scope.ts';
import { createStoreRepository, type StoreRepository } from '../../src/store/repository.ts';
import { createData } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { StatementCounter } from '../support/statements.ts';

const statements = new StatementCounter();
const orm = await createDatabase({ onPool: pool => statements.watch(pool) });
const data = createData(orm);
const access = await createReadAccess(orm);
const stores = createStoreRepository(access);
const load = (repository: StoreRepository, scope: AccessScope, id: string) =>
  repository.revisionsById.load({ id, scope });

const storesOf = (count: number) => Promise.all(Array.from({ length: count }, () => data.store()));
const only = (scope: Partial<AccessScope>): AccessScope => ({ ...emptyScope, ...scope });

test.each([1, 3, 16, 17, 100])('%i concurrent loads are one statement', async count => {
  const created = await storesOf(count);
  const { result, statements: sent } = await statements.during(() =>
    Promise.all(created.map(({ id }) => load(stores, operatorScope, id))),
  );
  expect(result.map(store => store?.menuRevision)).toEqual(created.map(() => 0));
  expect(sent).toHaveLength(1);
});

test('each caller gets what is in its own scope, whatever the other scopes of the batch', async () => {
  const [one, two] = await Promise.all([data.store(), data.store()]);
  const callers = [
    only({ storeIds: [one.id] }),
    only({ merchantIds: [String(two.merchant)] }),
    only({ merchantIdsOfStores: [String(one.merchant)] }),
    emptyScope,
    operatorScope,
  ];
  const isVisible = await Promise.all(
    callers.map(scope => Promise.all([one, two].map(async ({ id }) => (await load(stores, scope, id)) !== null))),
  );
  expect(isVisible).toEqual([
    [true, false],
    [false, true],
    [false, false],
    [false, false],
    [true, true],
  ]);
});

test('a load reads what was committed before it, also while another batch is in progress', async () => {
  const { id } = await data.store();
  for (let turn = 1; turn <= 20; turn++) {
    const before = load(stores, operatorScope, id);
    const text = 'update store set menu_revision = menu_revision + 1 where id = $1 returning menu_revision as revision';
    const [row] = await access.primary<{ readonly revision: number }>(text, [id]);
    expect((await load(stores, operatorScope, id))?.menuRevision).toBe(row?.revision);
    await before;
  }
});

test('a batch that hangs delays no other', async () => {
  const [stuck, other] = await Promise.all([data.store(), data.store()]);
  const { promise: never } = Promise.withResolvers<never[]>();
  let calls = 0;
  const primary: Query = (...args) => (calls++ === 0 ? never : access.primary(...args));
  const repository = createStoreRepository({ ...access, primary });
  const pending = load(repository, operatorScope, stuck.id);
  await expect.poll(() => calls).toBe(1);
  expect(await load(repository, operatorScope, other.id)).toMatchObject({ menuRevision: 0 });
  expect(await Promise.race([pending, 'pending'])).toBe('pending');
});

test('a statement that fails rejects all loads of its batch, and none of the next', async () => {
  const { id } = await data.store();
  let calls = 0;
  const primary: Query = (...args) =>
    calls++ === 0 ? Promise.reject(new Error('connection lost')) : access.primary(...args);
  const repository = createStoreRepository({ ...access, primary });
  const outcomes = await Promise.allSettled([1, 2].map(() => load(repository, operatorScope, id)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await load(repository, operatorScope, id)).not.toBeNull();
});

test('an id with NUL, which PostgreSQL cannot store, is not found', async () => {
  expect(await load(stores, operatorScope, 'a\0b')).toBeNull();
});
