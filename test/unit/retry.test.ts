import { expect, test } from 'vitest';
import { retryTransaction } from '../../src/database/transaction.ts';
import { createData, operatorFork } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';

const orm = await createDatabase();
const data = createData(orm);

test('Of two transactions that lock the same rows in opposite order, both are done', async () => {
  const [one, two] = [await data.store(), await data.store()];
  let attempts = 0;
  const { promise: bothBegun, resolve } = Promise.withResolvers<void>();
  const lockBoth = (first: string, second: string) =>
    retryTransaction(() =>
      operatorFork(orm).transactional(async em => {
        attempts += 1;
        await em.execute('update store set menu_revision = menu_revision + 1 where id = ?', [first]);
        if (attempts === 2) resolve();
        await bothBegun;
        await em.execute('update store set menu_revision = menu_revision + 1 where id = ?', [second]);
      }),
    );
  await Promise.all([lockBoth(one.id, two.id), lockBoth(two.id, one.id)]);
  expect(attempts).toBe(3);
  const rows = await orm.em.fork().execute('select menu_revision::int as revision from store');
  expect(rows).toEqual([{ revision: 2 }, { revision: 2 }]);
});

test('Anything else is not tried again', async () => {
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    throw Object.assign(new Error('duplicate key'), { code: '23505' });
  };
  await expect(retryTransaction(work)).rejects.toThrow('duplicate key');
  expect(attempts).toBe(1);
});

test('A collision that does not end is given up', async () => {
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
  };
  await expect(retryTransaction(work)).rejects.toThrow('deadlock detected');
  expect(attempts).toBe(4);
});
