import { type Config, warningsOf } from '../config.ts';
import { issueFirstKey, loadDemoIfEmpty } from '../demo/first-start.ts';
import { openDatabase } from '../open-database.ts';
import { createLog } from '../server/log.ts';
import { closeOnSignal } from '../server/shutdown.ts';
import { openListener } from './listener.ts';
import { createWorkerPool, type WorkerPool } from './pool.ts';

/** As that of `main.ts`, with several processes; resolves once all are ready. SIGHUP restarts them, other signals shut down. */
export async function serve(config: Config, onDemo: () => void) {
  const listener = await openListener(config);
  const database = await openDatabase(config);
  try {
    await loadDemoIfEmpty(database, config.demo, onDemo);
    const log = createLog(config.logLevel);
    for (const warning of warningsOf(config)) log.warn(warning);
    const pool = createWorkerPool(config, listener, log);
    closeOnSignal({
      log,
      shutdown: config.shutdown,
      ignoredSignals: ['SIGHUP'],
      onSignal: () => pool.beginShutdown(),
      async close() {
        // First, so that a client whose connection one worker closes does not reconnect to another one that is about to exit.
        listener.close();
        await pool.shutdown();
        await database.close();
      },
      onAbort: () => pool.kill(),
    });
    restartOnHangup(pool);
    await pool.ready;
    return { url: listener.url, demoKey: await issueFirstKey(database, config.demo) };
  } catch (error) {
    listener.close();
    await database.close();
    throw error;
  }
}

/** Queues at most one more restart while one is in progress. */
function restartOnHangup(pool: WorkerPool): void {
  let restart = pool.ready;
  let isQueued = false;
  process.on('SIGHUP', () => {
    if (isQueued) return;
    isQueued = true;
    restart = restart.then(() => {
      isQueued = false;
      return pool.restart();
    });
  });
}
