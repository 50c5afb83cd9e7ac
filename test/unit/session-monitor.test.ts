import pg from 'pg';
import { expect, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { listSessions } from '../../src/database/session-monitor.ts';
import { currentRequest } from '../../src/scheduling/current-request.ts';
import { createDatabase, directConnection } from '../support/database.ts';

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

test('of sessions with the same name, as PgBouncer leaves them behind, the active one counts', async () => {
  const open = async (name: string) => {
    const client = new pg.Client({ ...directConnection(orm), application_name: `same ${name}` });
    await client.connect();
    return client;
  };
  const clients = [await open('1'), await open('1'), await open('1')];
  const lock = 'select pg_advisory_lock(1)';
  await clients[0]?.query(lock);
  const waiting = clients[1]?.query(lock);
  const createProbe = (name: string) => new pg.Client({ ...directConnection(orm), application_name: name });
  const list = () => listSessions(createProbe, 'same ');
  await expect.poll(async () => (await list())?.get('same 1')?.isActive).toBe(true);
  await clients[0]?.end();
  await waiting;
  for (const client of clients.slice(1)) await client.end();
});
