/**
 * Measures the streams of subscriptions:
 *   npx node bench/streams.ts [--chaos 60] [--latency 20] [--idle 5000]
 * `chaos`: seconds in which four writers change orders, eight subscribers lose their connections at random, a serving process is killed every few
 * seconds and the database is restarted once; each subscriber must get the log. `latency`: seconds with 200 orders a second in 100 stores and
 * 500 streams. `idle`: streams that wait, for their memory. A part is skipped if its option is 0. It starts its own database and servers.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos } from '../drills/streams.ts';
import { startDatabase } from '../support/database.ts';
import { measureIdle } from './support/streams/idle.ts';
import { measureLatency } from './support/streams/latency.ts';

const { values } = parseArgs({
  options: {
    chaos: { type: 'string', default: '60' },
    latency: { type: 'string', default: '20' },
    idle: { type: 'string', default: '5000' },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'carte-streams-'));
try {
  if (Number(values.chaos) > 0) process.exitCode = (await runChaos(folder, Number(values.chaos))) ? 0 : 1;
  const database = await startDatabase(folder);
  try {
    if (Number(values.latency) > 0) await measureLatency(database, Number(values.latency));
    if (Number(values.idle) > 0) await measureIdle(database, Number(values.idle));
  } finally {
    await database.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
