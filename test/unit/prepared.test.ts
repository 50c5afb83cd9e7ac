import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { queryOn } from '../../src/database/query.ts';
import { prepared } from '../../src/statement.ts';
import { createDatabase, prepare } from '../support/database.ts';
import { StatementCounter } from '../support/statements.ts';

const statements = new StatementCounter();
const orm = await createDatabase({ onPool: pool => statements.watch(pool) });
const pool = await orm.em.getConnection().getNativeClient();
// One connection, so that everything but the first time is a second time.
const connection = await pool.connect();
afterAll(() => connection.release());
const query = queryOn(connection, { prepare });

const everyTime = [1, 2, 3];

describe('a prepared statement', () => {
  test('answers the same each time', async () => {
    const statement = prepared(`
      select $1::text as text, $2::float8 as number, $3::bool as "isTrue", $4::text[] as list, $5::json as json,
        $6::bytea as bytes, null::text as nothing`);
    const values = ['é"', 1.5, true, ['a,b', 'c"d'], { a: [1, null] }, Buffer.from([0, 255])];
    for (const _ of everyTime) {
      expect(await query(statement, values)).toEqual([
        {
          text: 'é"',
          number: 1.5,
          isTrue: true,
          list: ['a,b', 'c"d'],
          json: { a: [1, null] },
          bytes: Buffer.from([0, 255]),
          nothing: null,
        },
      ]);
    }
  });

  test('answers as many rows as there are, none included', async () => {
    const statement = prepared('select n from generate_series(1, $1::int) n order by n');
    for (const count of [0, 1, 3, 0]) {
      expect(await query(statement, [count])).toEqual(Array.from({ length: count }, (_, at) => ({ n: at + 1 })));
    }
  });

  test('fails by itself: the next one finds the connection as it was', async () => {
    const statement = prepared('select 6 / $1::int as quotient');
    for (const _ of everyTime) {
      await expect(query(statement, [0])).rejects.toMatchObject({ code: '22012' });
      expect(await query(statement, [2])).toEqual([{ quotient: 3 }]);
    }
    await expect(query(prepared('select nonsense from nowhere'), [])).rejects.toMatchObject({ code: '42P01' });
    expect(await query(statement, [3])).toEqual([{ quotient: 2 }]);
  });

  test('says who asked when it fails', async () => {
    const failing = query(prepared('select 1 / $1::int'), [0]);
    await expect(failing).rejects.toMatchObject({ stack: expect.stringContaining('prepared.test.ts') });
  });

  test('fails where a value cannot be read, and the next one does not', async () => {
    pg.types.setTypeParser(pg.types.builtins.MACADDR, () => {
      throw new Error('unreadable');
    });
    const statement = prepared(`select '08:00:2b:01:02:03'::macaddr as address where $1`);
    for (const _ of everyTime) {
      await expect(query(statement, [true])).rejects.toThrow('unreadable');
      expect(await query(statement, [false])).toEqual([]);
    }
  });

  test.runIf(prepare)('is not sent where a value cannot be', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const { statements: sent } = await statements.during(() =>
      expect(query(prepared('select $1::json as value'), [circle])).rejects.toThrow('circular'),
    );
    expect(sent).toEqual([]);
  });

  test.runIf(prepare)('is refused, not misread, once its columns have changed', async () => {
    await query({ text: 'create temporary table shape (value int)' }, []);
    await query({ text: 'insert into shape values (1)' }, []);
    const statement = prepared('select * from shape');
    expect(await query(statement, [])).toEqual([{ value: 1 }]);
    await query({ text: 'alter table shape alter value type text' }, []);
    await expect(query(statement, [])).rejects.toMatchObject({ code: '0A000' });
  });
});
