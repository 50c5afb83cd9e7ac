import fc from 'fast-check';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { parseTimestamp, queryOn } from '../../src/database/pool.ts';
import { prepared, preparedFirst, type Query, queryIn, statementName } from '../../src/database/query.ts';
import { createData } from '../support/data.ts';
import { createDatabase, prepare } from '../support/database.ts';
import { largestMenu, menuOfSize } from '../support/large-menu.ts';

// One connection, so that every execution but the first uses the prepared statement.
const orm = await createDatabase({ poolSize: 1 });
const pool = await orm.em.getConnection().getNativeClient();
const query = queryOn(pool);
afterAll(() => orm.close());

const executions = [1, 2, 3];

async function preparedOnServer(on: Query, text: string): Promise<boolean> {
  const rows = await on<{ n: number }>('select count(*)::int as n from pg_prepared_statements where name = $1', [
    statementName(text),
  ]);
  return rows[0]?.n === 1;
}

describe('A prepared statement', () => {
  test('returns the same result at each execution', async () => {
    const text = prepared(`
      select $1::text as text, $2::float8 as number, $3::bool as "isTrue", $4::text[] as list, $5::json as json,
        $6::bytea as bytes, null::text as nothing, $7::int8 as large, $8::timestamptz as instant`);
    const instant = new Date('2026-03-01T18:30:00.120Z');
    const values = ['é"', 1.5, true, ['a,b', 'c"d'], { a: [1, null] }, Buffer.from([0, 255]), 2 ** 53 - 1, instant];
    const expected = {
      text: 'é"',
      number: 1.5,
      isTrue: true,
      list: ['a,b', 'c"d'],
      json: { a: [1, null] },
      bytes: Buffer.from([0, 255]),
      nothing: null,
      large: 2 ** 53 - 1,
      instant,
    };
    for (const _ of executions) {
      expect(await query(text, values)).toEqual([expected]);
      expect(await query(text, values, 'array')).toEqual([Object.values(expected)]);
    }
  });

  test.runIf(prepare)('is prepared on the connection, by the pool and in a transaction', async () => {
    const [byPool, byTransaction] = [prepared('select $1::int as a'), prepared('select $1::int as b')];
    await query(byPool, [1]);
    expect(await preparedOnServer(query, byPool)).toBe(true);
    await orm.em.fork().transactional(async tx => {
      expect(await queryIn(tx)(byTransaction, [1])).toEqual([{ b: 1 }]);
      expect(await preparedOnServer(queryIn(tx), byTransaction)).toBe(true);
    });
  });

  test('that fails leaves the connection usable', async () => {
    const text = prepared('select 6 / $1::int as quotient');
    for (const _ of executions) {
      await expect(query(text, [0])).rejects.toMatchObject({ code: '22012' });
      expect(await query(text, [2])).toEqual([{ quotient: 3 }]);
    }
  });

  test.runIf(prepare)('fails rather than return wrong rows after its columns have changed', async () => {
    await query('create temporary table shape (value int)', []);
    await query('insert into shape values (1)', []);
    const text = prepared('select * from shape');
    expect(await query(text, [])).toEqual([{ value: 1 }]);
    await query('alter table shape alter value type text', []);
    await expect(query(text, [])).rejects.toMatchObject({ code: '0A000' });
  });
});

test.runIf(prepare)(
  'a replacement of a menu is not planned anew each time, also where stores differ in size',
  async () => {
    const data = createData(orm);
    const [large, small] = [await data.store(), await data.store()];
    await data.menu(large, menuOfSize({ ...largestMenu, categories: 20, items: 1_000, groups: 300 }));
    await query('analyze', []);
    for (let count = 0; count < 10; count++) await data.menu(small);
    const plans = await query<{ custom: number }>(
      `select custom_plans::int as custom from pg_prepared_statements
    where statement like '%json_to_recordset%' or statement like 'select "id", "menu_revision"%'`,
      [],
    );
    expect(plans).toEqual([{ custom: 0 }, { custom: 0 }]);
  },
);

test('only the first texts, up to the maximum, are prepared', () => {
  const prepareFirst = preparedFirst(2);
  const names = ['a', 'b', 'a', 'c', 'b'].map(text => statementName(prepareFirst(text)) !== undefined);
  expect(names).toEqual([true, true, true, false, true]);
});

const parseAsPg = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date;

test('a timestamp is parsed as by pg', () => {
  const instant = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });
  fc.assert(
    fc.property(instant, fc.constantFrom('+00', '-03', '+11', '+05:30'), fc.nat(3), (at, zone, digits) => {
      const [day = '', time = ''] = at.toISOString().slice(0, -1).split('T');
      const text = `${day} ${time.slice(0, digits === 0 ? 8 : 9 + digits)}${zone}`;
      expect(parseTimestamp(text)).toEqual(parseAsPg(text));
    }),
    { numRuns: 1_000 },
  );
});

test.each(['-infinity', 'infinity', '0044-03-15 12:00:00+00 BC', '12026-01-01 00:00:00+00'])(
  'the timestamp %s is parsed as by pg',
  async text => {
    const [row] = await query<{ at: unknown }>('select $1::timestamptz as at', [text]);
    expect(row?.at).toEqual(parseAsPg(text));
  },
);
