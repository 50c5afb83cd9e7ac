import type { Config } from './config.ts';
import { issueFirstKey, loadDemoIfEmpty } from './demo/first-start.ts';
import { openDatabase } from './open-database.ts';
import { createServer } from './server/server.ts';
import { closeOnSignal, drainAndClose, tolerateDatabaseRejections } from './server/shutdown.ts';

/** Called while the service starts. */
export interface StartObserver {
  /** Loading the demo restaurants takes some seconds. */
  readonly onDemo: () => void;
  /** With the API key of the demo, if this is the first start of it that succeeds. */
  readonly onReady: (url: string, demoKey: string | undefined) => void;
}

/** Serves in this process; resolves once it is ready. A signal shuts it down. */
export async function serve(config: Config, { onDemo, onReady }: StartObserver): Promise<void> {
  const database = await openDatabase(config);
  try {
    await loadDemoIfEmpty(database, { demo: config.demo, onLoad: onDemo });
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
    onReady(url, await issueFirstKey(database, config.demo));
  } catch (error) {
    await database.close();
    throw error;
  }
}
