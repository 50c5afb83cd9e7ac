import type { FastifyBaseLogger } from 'fastify';
import { terminal } from './cli/terminal.ts';
import { welcome } from './cli/welcome.ts';
import type { Config } from './config.ts';
import { databaseFault } from './database/faults.ts';
import { openDatabase } from './database/open.ts';
import { isEmpty, loadDemo } from './demo/load.ts';
import { createDrain } from './http/drain.ts';
import { assertPortFree } from './http/port.ts';
import { createServer } from './http/server.ts';
import { startTracing } from './http/tracing.ts';
import { shutDown, untilSignal } from './shutdown.ts';

/** Serves until a signal asks it to end. */
export async function serve(config: Config): Promise<void> {
  await assertPortFree(config.host, config.port);
  terminal.progress('Preparing the database …');
  const database = await openDatabase(config);
  try {
    const demoKey =
      database.embedded && config.demo && (await isEmpty(database.orm)) ? await loadDemo(database.orm) : undefined;
    const drain = createDrain();
    const tracing = config.tracing ? await startTracing() : undefined;
    const app = await createServer(database.orm, config, { drain, tracing });
    outliveStrayFaults(app.log);
    const signalled = untilSignal();
    const url = await app.listen({ host: config.host, port: config.port });
    if (demoKey) terminal.out(welcome(url, demoKey));
    terminal.out(`Carte is ready at ${url}`);
    await signalled;
    await shutDown(app, drain, config.shutdown);
    await tracing?.stop();
  } finally {
    await database.close();
  }
}

/** A failure that nobody waits for is a bug, unless the database has failed: then its request was answered before. */
function outliveStrayFaults(log: FastifyBaseLogger): void {
  process.on('unhandledRejection', error => {
    if (!databaseFault(error)) throw error;
    log.warn({ err: error }, 'The database failed what nobody waited for any more');
  });
}
