import { terminal } from './cli/terminal.ts';
import { welcome, welcomeBack } from './cli/welcome.ts';
import type { Config } from './config.ts';
import { loadDemoIfEmpty } from './demo/first-start.ts';
import { openDatabase } from './open-database.ts';
import { createServer } from './server/server.ts';
import { closeOnSignal, drainAndClose, tolerateDatabaseRejections } from './server/shutdown.ts';

/** Serves in this process; resolves once it is ready. A signal shuts it down. */
export async function serve(config: Config): Promise<void> {
  const database = await openDatabase(config);
  try {
    const demoKey = await loadDemoIfEmpty(database, {
      demo: config.demo,
      onLoad: () => terminal.err('Loading the demo restaurants …'),
    });
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
    terminal.out(demoKey ? welcome(url, demoKey) : welcomeBack(url));
    terminal.out(`Carte is ready at ${url}`);
  } catch (error) {
    await database.close();
    throw error;
  }
}
