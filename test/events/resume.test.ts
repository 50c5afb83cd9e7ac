import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createReadAccess } from '../../src/database/pool.ts';
import { EventCursors } from '../../src/events/cursor.ts';
import { formerCursor, watchWithInterruptions } from '../../support/streams.ts';
import { waitUntil } from '../http/processes.ts';
import { sharedApp } from '../support/app.ts';
import { directConnection } from '../support/database.ts';
import { endOfLog, readEvents } from '../support/events.ts';

const app = await sharedApp();
const { primary } = await createReadAccess(app.orm);

test('clients of two tenants that lose their connections, and the service its database, get the events of their own stores, each once and in order', async () => {
  const stores = [await app.data.store(), await app.data.store()];
  const keys = await Promise.all(stores.map(({ merchant }) => app.newKey({ merchantIds: [String(merchant)] })));
  const start = await endOfLog(primary);
  const subscribers = (['sse', 'websocket'] as const).flatMap(transport =>
    stores.map(({ id: storeId }, index) => {
      const after = formerCursor('orderEvents', { storeId, position: start });
      const service = { url: app.url, key: keys[index] ?? '' };
      return { storeId, ...watchWithInterruptions(transport, service, { storeId, after, maxEvents: 9 }) };
    }),
  );
  onTestFinished(async () => void (await Promise.all(subscribers.map(({ stop }) => stop()))));

  const admin = new pg.Client(directConnection(app.orm));
  await admin.connect();
  onTestFinished(() => admin.end());
  for (let round = 0; round < 30; round++) {
    await Promise.all(stores.map(store => app.data.orders(store, 1 + (round % 3)).catch(() => {})));
    if (round % 10 === 5) {
      const others = 'datname = current_database() and pid <> pg_backend_pid()';
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`);
    }
  }
  for (const { storeId, cursors, problems } of subscribers) {
    const events = await readEvents(primary, { after: start, storeId, kinds: ['ORDER_PLACED'], limit: 1_000 });
    const cursorsOfLog = new EventCursors(primary);
    const expected = await Promise.all(events.map(event => cursorsOfLog.ofEvent('orderEvents', event)));
    expect(expected.length).toBeGreaterThan(40);
    await waitUntil(() => cursors.length >= expected.length);
    expect(cursors).toEqual(expected);
    expect(problems).toEqual([]);
  }
});
