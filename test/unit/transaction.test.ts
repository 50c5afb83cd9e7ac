import { afterAll, expect, test } from 'vitest';
import { transactOn } from '../../src/database/transaction.ts';
import { createDatabase, prepare } from '../support/database.ts';

const orm = await createDatabase();
const pool = await orm.em.getConnection().getNativeClient();
const transact = transactOn(pool, { prepare });

await pool.query('create table note (text text)');
afterAll(() => pool.query('drop table note'));

const add = { text: 'insert into note values ($1)', name: 'add_note' };
const notes = async () => (await pool.query('select text from note order by text')).rows.map(row => row.text);

test('what was done holds at its end, and not before', async () => {
  const answer = await transact(async query => {
    await query(add, ['one']);
    expect(await notes()).toEqual([]);
    return query<{ n: number }>({ text: 'select count(*)::int as n from note' }, []);
  });
  expect(answer).toEqual([{ n: 1 }]);
  expect(await notes()).toEqual(['one']);
});

test('nothing of what failed is left, and its connection serves the next', async () => {
  const failed = transact(async query => {
    await query(add, ['two']);
    throw new Error('changed my mind');
  });
  await expect(failed).rejects.toThrow('changed my mind');
  await expect(transact(query => query({ text: 'select 1 / 0' }, []))).rejects.toThrow('division by zero');
  expect(await notes()).toEqual(['one']);
  expect(pool.idleCount).toBe(pool.totalCount);
});

test('a connection that is lost on the way does not come back', async () => {
  const lost = transact(async query => {
    await query(add, ['three']);
    const [own] = await query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' }, []);
    await pool.query('select pg_terminate_backend($1)', [own?.pid]);
    await query(add, ['four']);
  });
  await expect(lost).rejects.toThrow();
  expect(await notes()).toEqual(['one']);
  await transact(query => query(add, ['five']));
  expect(await notes()).toEqual(['five', 'one']);
  expect(pool.idleCount).toBe(pool.totalCount);
});
