import { fileURLToPath } from 'node:url';
import type { Operator } from '../../support/fair-shares/data.ts';
import {
  carte,
  type Environment,
  importDocuments,
  type Server,
  startCheckout,
  stopServer,
} from '../../support/servers.ts';
import type { Drill } from '../support/harness.ts';

/** The service of a checkout on a database of its own, with the service's own settings. */
export interface Drilled extends Operator {
  /** Starts the service afresh, so that neither memory nor work of an earlier row is left. */
  restart(): Promise<Server>;
  /** What the service logged since the last call. */
  takeLog(): string;
}

const ownCheckout = fileURLToPath(new URL('../..', import.meta.url));

/** How long a service that is still at work may take to stop. */
const stopMs = 3_000;

export async function startDrilled(
  drill: Drill,
  checkout: string = ownCheckout,
  settings: Environment = {},
): Promise<Drilled> {
  const { DATABASE_URL = '' } = (await drill.startDatabase()).env;
  const env = { DATABASE_URL, PORT: '0', CARTE_DEMO: 'off', CARTE_LOG_LEVEL: 'error', ...settings };
  let running: Server | undefined;
  let log = '';
  return {
    async restart() {
      if (running) await stopServer(running, stopMs);
      const starting = startCheckout(checkout, env, text => {
        log += text;
      });
      running = await drill.run(starting);
      return running;
    },
    carte: (...args) => carte(args, env, { folder: checkout }),
    importDocuments: (kind, documents) => importDocuments(kind, documents, env, checkout),
    takeLog() {
      const taken = log;
      log = '';
      return taken;
    },
  };
}
