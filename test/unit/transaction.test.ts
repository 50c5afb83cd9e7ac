import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { queryIn } from '../../src/database/query.ts';
import { createDatabase, directConnection, prepare } from '../support/database.ts';

/** The command before which the session that sends it is terminated. */
let terminatedAt: string | undefined;

const orm = await createDatabase({
  poolSize: 2,
  onPool: pool =>
    pool.on('connect', client => {
      const send = client.query.bind(client);
      const terminating = async (...args: unknown[]) => {
        if (args[0] === terminatedAt) await terminateSession(Number(Reflect.get(client, 'processID')));
        return Reflect.apply(send, client, args);
      };
      Object.assign(client, { query: terminating });
    }),
});
const pool = await orm.em.getConnection().getNativeClient();
const admin = new pg.Client(directConnection(orm));
await admin.connect();
afterAll(() => admin.end());
await admin.query('create table note (text text)');
beforeEach(async () => void (await admin.query('truncate note')));

async function terminateSession(processId: number): Promise<void> {
  await admin.query('select pg_terminate_backend($1, 5000)', [processId]);
}

const notes = async () => (await admin.query('select text from note order by text')).rows.map(row => row.text);
const add = (text: string) =>
  orm.em.fork().transactional(async tx => {
    await queryIn(tx)('insert into note values ($1)', [text]);
    if (text === 'rolled back') throw new Error('rolled back');
  });

describe('em.transactional', () => {
  test('commits all of its statements or none', async () => {
    await add('one');
    await expect(add('rolled back')).rejects.toThrow('rolled back');
    expect(await notes()).toEqual(['one']);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  // More often than the pool has connections: none may leak. Through a PgBouncer the session to terminate is unknown.
  test.runIf(prepare).each([
    ['begin', 'two'],
    ['commit', 'three'],
    ['rollback', 'rolled back'],
  ])('releases its connection when the session is terminated at %s', async (command, text) => {
    terminatedAt = command;
    for (let time = 0; time < 4; time++) await expect(add(text)).rejects.toThrow();
    terminatedAt = undefined;
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
    expect(pool.waitingCount).toBe(0);
    expect(await notes()).toEqual([]);
    await Promise.all([add('four'), add('four')]);
    expect(await notes()).toEqual(['four', 'four']);
  });
});
