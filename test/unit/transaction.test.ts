import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { queryIn } from '../../src/database/transaction.ts';
import { createDatabase, directConnection, prepare } from '../support/database.ts';

/** The command before which the server is made to end the session that sends it. */
let fatal: string | undefined;

const orm = await createDatabase({
  poolSize: 2,
  onPool: pool =>
    pool.on('connect', client => {
      const send = client.query.bind(client);
      const killing = async (...args: unknown[]) => {
        if (args[0] === fatal) await endSession(Number(Reflect.get(client, 'processID')));
        return Reflect.apply(send, client, args);
      };
      Object.assign(client, { query: killing });
    }),
});
const pool = await orm.em.getConnection().getNativeClient();
const admin = new pg.Client(directConnection(orm));
await admin.connect();
afterAll(() => admin.end());
await admin.query('create table note (text text)');

async function endSession(processId: number): Promise<void> {
  await admin.query('select pg_terminate_backend($1, 5000)', [processId]);
}

const notes = async () => (await admin.query('select text from note order by text')).rows.map(row => row.text);
const add = (text: string) =>
  orm.em.fork().transactional(async tx => {
    await queryIn(tx)('insert into note values ($1)', [text]);
    if (text === 'refused') throw new Error('changed my mind');
  });

describe('em.transactional', () => {
  test('keeps all of its work, or nothing', async () => {
    await add('one');
    await expect(add('refused')).rejects.toThrow('changed my mind');
    expect(await notes()).toEqual(['one']);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  // More often than the pool has connections: none may be lost. A PgBouncer hides which session is whose.
  test.runIf(prepare).each([
    ['begin', 'two'],
    ['commit', 'three'],
    ['rollback', 'refused'],
  ])('gives its connection back when the session ends at %s', async (command, text) => {
    fatal = command;
    for (let time = 0; time < 4; time++) await expect(add(text)).rejects.toThrow();
    fatal = undefined;
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
    expect(pool.waitingCount).toBe(0);
    expect(await notes()).toEqual(['one']);
    await Promise.all([add('kept'), add('kept')]);
    expect(await notes()).toEqual(['kept', 'kept', 'one']);
    await admin.query("delete from note where text = 'kept'");
  });
});
