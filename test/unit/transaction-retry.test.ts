import { expect, test } from 'vitest';
import { retryTransaction } from '../../src/database/query.ts';
import { createData, operatorFork } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';

const orm = await createDatabase();
const data = createData(orm);

test('two transactions that deadlock both commit', async () => {
  const [one, two] = [await data.store(), await data.store()];
  let attempts = 0;
  let locked = 0;
  const { promise: bothLocked, resolve } = Promise.withResolvers<void>();
  const lockBoth = (first: string, second: string) =>
    retryTransaction(() =>
      operatorFork(orm).transactional(async em => {
        attempts += 1;
        await em.execute('update store set menu_revision = menu_revision + 1 where id = ?', [first]);
        locked += 1;
        if (locked === 2) resolve();
        await bothLocked;
        await em.execute('update store set menu_revision = menu_revision + 1 where id = ?', [second]);
      }),
    );
  await Promise.all([lockBoth(one.id, two.id), lockBoth(two.id, one.id)]);
  // PostgreSQL may end both of them, on a busy machine.
  expect(attempts).toBeGreaterThanOrEqual(3);
  const rows = await orm.em.fork().execute('select menu_revision > 0 as "isRevised" from store');
  expect(rows).toEqual([{ isRevised: true }, { isRevised: true }]);
});

test('an error other than a conflict is not retried', async () => {
  let attempts = 0;
  const transaction = async () => {
    attempts += 1;
    throw Object.assign(new Error('duplicate key'), { code: '23505' });
  };
  await expect(retryTransaction(transaction)).rejects.toThrow('duplicate key');
  expect(attempts).toBe(1);
});

test('a conflict that persists is thrown after four attempts', async () => {
  let attempts = 0;
  const transaction = async () => {
    attempts += 1;
    throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
  };
  await expect(retryTransaction(transaction)).rejects.toThrow('deadlock detected');
  expect(attempts).toBe(4);
});
