import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../src/database/embedded.ts';
import { cursorOf } from '../src/events/cursor.ts';
import { createStores, startWriter } from '../support/orders.ts';
import { carte, startServer, stopServer } from '../support/servers.ts';
import { watchWithInterruptions } from '../support/streams.ts';
import { joinPostgres } from './support/postgres.ts';

const kinds = ['ORDER_PLACED', 'ORDER_CHANGED', 'ORDERS_CHANGED'];

/** Returns whether each subscriber got the events of its store, each once and in order. */
export async function runChaos(folder: string, seconds: number): Promise<boolean> {
  const embedded = await startEmbedded({ dataFolder: folder });
  const postgres = await joinPostgres(folder);
  const env = { CARTE_DATA: folder, PORT: '0', CARTE_PROCESSES: '2', CARTE_DEMO: 'off', CARTE_LOG_LEVEL: 'silent' };
  const server = await startServer({ ...env, CARTE_STREAMS_PER_KEY: '1000', CARTE_MAX_DELAY_MS: '60000' });
  const key = await carte(['key', 'create', '--name', 'bench', '--all'], env);
  const query = async <Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<Row[]> => {
    const client = new pg.Client(embedded.connection);
    await client.connect();
    const { rows } = await client.query<Row>(sql, parameters);
    await client.end();
    return rows;
  };
  const admin = new pg.Client(embedded.connection);
  await admin.connect();
  const storeIds = await createStores(admin, 4);
  await admin.end();
  const [start] = await query<{ position: string }>('select coalesce(max(position), 0) as position from event');
  const position = Number(start?.position);
  const subscribers = (['sse', 'websocket'] as const).flatMap(transport =>
    storeIds.map(storeId => {
      const after = cursorOf('orderEvents', { storeId, position });
      const watched = watchWithInterruptions(transport, { url: server.url, key }, { storeId, after, maxEvents: 50 });
      return { transport, storeId, ...watched };
    }),
  );
  const writers = Array.from({ length: 4 }, () => startWriter(embedded.connection, storeIds));

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
  let isRight = true;
  for (const { transport, storeId, cursors, problems } of subscribers) {
    const rows = await query<{ position: string }>(
      'select position from event where store_id = $1 and kind = any($2) and position > $3 order by position',
      [storeId, kinds, position],
    );
    const expected = rows.map(row => cursorOf('orderEvents', { storeId, position: Number(row.position) }));
    const deadline = performance.now() + 20_000;
    while (cursors.length < expected.length && performance.now() < deadline) await sleep(50);
    const isEqual = JSON.stringify(cursors) === JSON.stringify(expected);
    isRight &&= isEqual && problems.length === 0;
    console.log(
      `${transport} ${storeId}: ${cursors.length} of ${expected.length} events, ${isEqual ? 'equal' : 'DIFFERENT'}`,
    );
    for (const problem of problems.slice(0, 3)) console.log(`  ${problem}`);
  }
  console.log(`${faults.kills} kills, ${faults.restarts} restart of the database, ${failures.join('+')} failed writes`);
  await Promise.all(subscribers.map(({ stop }) => stop()));
  await stopServer(server);
  await postgres.leave();
  await embedded.stop();
  return isRight;
}

/** Kills one of the serving processes; returns 0 if none responds. */
async function killWorker(url: string): Promise<number> {
  try {
    const metrics = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(2_000) })).text();
    const [, pid] = /^process_start_time_seconds\{process="(\d+)"\}/m.exec(metrics) ?? [];
    if (pid === undefined) return 0;
    process.kill(Number(pid), 'SIGKILL');
    return 1;
  } catch {
    return 0;
  }
}
