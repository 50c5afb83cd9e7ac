import { terminal } from './cli/terminal.ts';
import { welcome } from './cli/welcome.ts';
import type { Config } from './config.ts';
import { openDatabase } from './database/open.ts';
import { loadDemoIfEmpty } from './demo/load.ts';
import { assertPortFree } from './server/port.ts';
import { createServer } from './server/server.ts';
import { closeOnSignal, drainAndClose, tolerateDatabaseRejections } from './server/shutdown.ts';

/** Serves in this process; resolves once it is ready. A signal shuts it down. */
export async function serve(config: Config): Promise<void> {
  await assertPortFree(config.host, config.port);
  terminal.progress('Preparing the database …');
  const database = await openDatabase(config);
  try {
    const demoKey = await loadDemoIfEmpty(database, config);
    const app = await createServer(database.orm, config);
    tolerateDatabaseRejections(app.log);
    closeOnSignal({
      log: app.log,
      shutdown: config.shutdown,
      onSignal: () => app.drain.beginShutdown(),
      async close() {
        await drainAndClose(app, config.shutdown);
        await database.close();
      },
    });
    const url = await app.listen({ host: config.host, port: config.port });
    if (demoKey) terminal.out(welcome(url, demoKey));
    terminal.out(`Carte is ready at ${url}`);
  } catch (error) {
    await database.close();
    throw error;
  }
}
