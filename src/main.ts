import { terminal } from './cli/terminal.ts';
import { welcome } from './cli/welcome.ts';
import type { Config } from './config.ts';
import { openDatabase } from './database/open.ts';
import { isEmpty, loadDemo } from './demo/load.ts';
import { assertPortFree } from './http/port.ts';
import { createServer } from './http/server.ts';

/** Serves until a signal asks it to end. */
export async function serve(config: Config): Promise<void> {
  await assertPortFree(config.host, config.port);
  const database = await openDatabase(config);
  try {
    const demoKey =
      database.embedded && config.demo && (await isEmpty(database.orm)) ? await loadDemo(database.orm) : undefined;
    const app = await createServer(database.orm, config);
    const ended = untilSignal();
    const url = await app.listen({ host: config.host, port: config.port });
    if (demoKey) terminal.out(welcome(url, demoKey));
    terminal.out(`Carte is ready at ${url}`);
    await ended;
    await app.close();
  } finally {
    await database.close();
  }
}

/** The first signal ends the service in good order, a second one at once. */
function untilSignal(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
}
