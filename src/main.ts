import { terminal } from './cli/terminal.ts';
import { welcome } from './cli/welcome.ts';
import type { Config } from './config.ts';
import { openDatabase } from './database/open.ts';
import { loadDemoIfEmpty } from './demo/load.ts';
import { assertPortFree } from './server/port.ts';
import { shutDownGracefully, untilSignal } from './server/shutdown.ts';
import { createRunningServer } from './server/start.ts';

/** Serves in this process until a signal asks it to end. */
export async function serve(config: Config): Promise<void> {
  await assertPortFree(config.host, config.port);
  terminal.progress('Preparing the database …');
  const database = await openDatabase(config);
  try {
    const demoKey = await loadDemoIfEmpty(database, config);
    const { app, drain, stopTracing } = await createRunningServer(database.orm, config);
    const signalled = untilSignal(['SIGINT', 'SIGTERM', 'SIGHUP']);
    const url = await app.listen({ host: config.host, port: config.port });
    if (demoKey) terminal.out(welcome(url, demoKey));
    terminal.out(`Carte is ready at ${url}`);
    await signalled;
    await shutDownGracefully(app, drain, config.shutdown);
    await stopTracing();
  } finally {
    await database.close();
  }
}
