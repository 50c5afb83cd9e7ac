import { type Config, warningsOf } from './config.ts';
import { issueFirstKey, loadDemoIfEmpty } from './demo/first-start.ts';
import { openDatabase } from './open-database.ts';
import { createServer } from './server/server.ts';
import { closeOnSignal, drainAndClose, tolerateDatabaseRejections } from './server/shutdown.ts';

/**
 * Serves in this process; resolves once it is ready, with the API key of the demo if this is the first start of it that succeeds. A signal
 * shuts it down. Calls `onDemo` before it loads the demo restaurants, which takes some seconds.
 */
export async function serve(config: Config, onDemo: () => void) {
  const database = await openDatabase(config);
  try {
    await loadDemoIfEmpty(database, config.demo, onDemo);
    const app = await createServer(database.orm, config);
    for (const warning of warningsOf(config)) app.log.warn(warning);
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
    return { url, demoKey: await issueFirstKey(database, config.demo) };
  } catch (error) {
    await database.close();
    throw error;
  }
}
