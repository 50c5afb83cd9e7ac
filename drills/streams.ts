import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EventCursors } from '../src/events/cursor.ts';
import { readOptions } from '../support/options.ts';
import { createStores } from '../support/orders.ts';
import { createKey } from '../support/servers.ts';
import { formerCursor, watchWithInterruptions } from '../support/streams.ts';
import { startWriter } from './streams/writer.ts';
import { runDrill } from './support/harness.ts';
import { joinPostgres } from './support/postgres.ts';
import { workersOf } from './support/workers.ts';

const { seconds } = readOptions(
  `Changes orders by four writers while eight subscribers lose their connections at random, a serving process is killed every few seconds and the
database is restarted once; each subscriber must get the events of its store, each once and in order.`,
  { seconds: 60 },
);
const kinds = ['ORDER_PLACED', 'ORDER_CHANGED', 'ORDERS_CHANGED'];

await runDrill(async ({ folder, atEnd, startServer, violations }) => {
  const { connection, ...postgres } = await joinPostgres(folder);
  atEnd(() => postgres.leave());
  const env = { CARTE_DATA: folder, PORT: '0', CARTE_PROCESSES: '2', CARTE_DEMO: 'off', CARTE_LOG_LEVEL: 'silent' };
  const server = await startServer({ ...env, CARTE_STREAMS_PER_KEY: '1000', CARTE_MAX_DELAY_MS: '60000' });
  const key = await createKey(env);
  /** Over a connection of its own, since the database is restarted. */
  const query = async (sql: string, values: readonly unknown[] = []) => {
    const client = new pg.Client(connection);
    await client.connect();
    const { rows } = await client.query(sql, [...values]);
    await client.end();
    return rows;
  };
  const storeIds = await createStores({ query }, 4);
  const [start] = await query(
    'select greatest(complete_after, (select max(position) from event)) as position from event_log',
  );
  const position = Number(start.position);
  const subscribers = (['sse', 'websocket'] as const).flatMap(transport =>
    storeIds.map(storeId => {
      const after = formerCursor('orderEvents', { storeId, position });
      const watched = watchWithInterruptions(transport, { url: server.url, key }, { storeId, after, maxEvents: 50 });
      return { name: `${transport} ${storeId}`, storeId, ...watched };
    }),
  );
  const writers = Array.from({ length: 4 }, () => startWriter(connection, storeIds));

  const faults = { kills: 0, restarts: 0 };
  const end = performance.now() + seconds * 1_000;
  const half = performance.now() + seconds * 500;
  while (performance.now() < end) {
    await sleep(Math.min(4_000, seconds * 150));
    if (faults.restarts === 0 && performance.now() > half) {
      await postgres.stopImmediately();
      faults.restarts += 1;
    } else faults.kills += await killWorker(server.url);
  }
  const failures = await Promise.all(writers.map(writer => writer.stop()));
  while ((await query('select from event_inbox limit 1')).length > 0) await sleep(50);
  const cursorsOfLog = new EventCursors(query);
  for (const { name, storeId, cursors, problems } of subscribers) {
    const rows = await query(
      'select position from event where store_id = $1 and kind = any($2) and position > $3 order by position',
      [storeId, kinds, position],
    );
    const expected = await Promise.all(
      rows.map(row => cursorsOfLog.ofEvent('orderEvents', { storeId, position: Number(row.position) })),
    );
    const deadline = performance.now() + 120_000;
    while (cursors.length < expected.length && performance.now() < deadline) await sleep(50);
    console.log(`${name}: ${cursors.length} of ${expected.length} events`);
    if (JSON.stringify(cursors) !== JSON.stringify(expected)) violations.push(`${name}: other events than in the log`);
    violations.push(...problems.map(problem => `${name}: ${problem}`));
  }
  console.log(`${faults.kills} kills, ${faults.restarts} restart of the database, ${failures.join('+')} failed writes`);
  await Promise.all(subscribers.map(({ stop }) => stop()));
});

/** Kills one of the serving processes; returns 0 if none responds. */
async function killWorker(url: string): Promise<number> {
  const [pid] = await workersOf(url).catch(() => []);
  if (pid === undefined) return 0;
  process.kill(pid, 'SIGKILL');
  return 1;
}
