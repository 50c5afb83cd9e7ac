import { setTimeout as sleep } from 'node:timers/promises';
import { terminal } from '../cli/terminal.ts';
import { welcome } from '../cli/welcome.ts';
import type { Config } from '../config.ts';
import { openDatabase } from '../database/open.ts';
import { loadDemoIfEmpty } from '../demo/load.ts';
import { createLog } from '../server/log.ts';
import { untilSignal } from '../server/shutdown.ts';
import { type Listener, openListener } from './listener.ts';
import { createWorkerPool, type WorkerPool } from './pool.ts';

/** Serves through several processes until a signal asks it to end; on SIGHUP it renews them. */
export async function serve(config: Config): Promise<void> {
  const door = await openListener(config);
  const database = await openDatabase(config);
  try {
    const demoKey = await loadDemoIfEmpty(database, config);
    const log = createLog(config.logLevel);
    const crew = createWorkerPool(config, { door, log });
    const signalled = untilSignal(['SIGINT', 'SIGTERM'], () => crew.kill());
    renewOnHangUp(crew);
    const isComplete = await Promise.race([crew.complete.then(() => true), signalled]);
    if (isComplete) {
      if (demoKey) terminal.out(welcome(door.url, demoKey));
      terminal.out(`Carte is ready at ${door.url}`);
      await signalled;
    }
    await endInOrder(crew, door, config.shutdown);
  } finally {
    door.close();
    await database.close();
  }
}

/** A signal that comes while processes are being renewed has them renewed once more. */
function renewOnHangUp(crew: WorkerPool): void {
  let renewal = crew.complete;
  let isNext = false;
  process.on('SIGHUP', () => {
    if (isNext) return;
    isNext = true;
    renewal = renewal.then(() => {
      isNext = false;
      return crew.renew();
    });
  });
}

async function endInOrder(
  crew: WorkerPool,
  door: Listener,
  { seconds, delaySeconds }: Config['shutdown'],
): Promise<void> {
  crew.unready();
  await sleep(delaySeconds * 1_000);
  setTimeout(() => {
    crew.kill();
    process.exit(0);
  }, seconds * 1_000).unref();
  // First of all: a caller who is sent away by one worker must not come in again to meet another that is ending.
  door.close();
  await crew.end();
}
