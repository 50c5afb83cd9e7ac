import { expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/access.ts';
import { currentRequest } from '../../src/database/statements.ts';
import { createDatabase } from '../support/database.ts';

const orm = await createDatabase();
const { primary } = await createReadAccess(orm);

const inRequest = <T>(work: () => Promise<T>) => currentRequest.run({ statements: 0, trace: undefined }, work);

test('a long statement of a request runs to its end, because its session is found on the server', async () => {
  const [row] = await inRequest(() =>
    primary<{ readonly name: string }>(
      'select application_name as name, pg_sleep(3.5) from pg_stat_activity where pid = pg_backend_pid()',
      [],
    ),
  );
  expect(row?.name).toMatch(/^carte [0-9a-f]{12}-\d+$/);
});
