import { expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { queryIn } from '../../src/database/query.ts';
import { currentRequest } from '../../src/scheduling/current-request.ts';
import { createDatabase } from '../support/database.ts';

// One connection, so that each request waits for the one before it to release it.
const orm = await createDatabase({ poolSize: 1 });
const { query } = await createReadAccess(orm);

test.each([
  ['a query', (sql: string) => query(sql, [])],
  ['a transaction', (sql: string) => orm.em.fork().transactional(tx => queryIn(tx)(sql, []))],
])('%s that waits for a connection is traced with its own request', async (_kind, run) => {
  const traced = await Promise.all(
    [1, 2, 3].map(async number => {
      const texts: string[] = [];
      const trace = (text: string) => {
        texts.push(text);
        return () => {};
      };
      await currentRequest.run({ statements: 0, trace }, () => run(`select ${number}`));
      return texts.filter(text => text.startsWith('select'));
    }),
  );
  expect(traced).toEqual([['select 1'], ['select 2'], ['select 3']]);
});
