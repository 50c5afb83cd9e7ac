import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbedded } from '../../src/database/embedded.ts';
import { type Server, startCheckout, stopServer } from '../../support/servers.ts';

/** The service of a checkout on a database of its own, with the service's own settings. */
export interface Drilled {
  /** Starts the service afresh, so that neither memory nor work of an earlier row is left. */
  restart(): Promise<Server>;
  carte(...args: readonly string[]): Promise<string>;
  importDocuments(kind: 'merchants' | 'stores' | 'orders', lines: Iterable<string>): Promise<void>;
  /** What the service logged since the last call. */
  takeLog(): string;
  stop(): Promise<void>;
}

const ownCheckout = fileURLToPath(new URL('../..', import.meta.url));

/** How long a service that is still at work may take to stop. */
const stopMs = 3_000;

export async function startDrilled(folder: string, checkout: string = ownCheckout): Promise<Drilled> {
  const database = await startEmbedded({ dataFolder: folder });
  const { host, port, user, database: name } = database.connection;
  const address = `postgresql://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
  const env = { DATABASE_URL: address, PORT: '0', CARTE_DEMO: 'off', CARTE_LOG_LEVEL: 'error' };
  /** Also while it starts, so that it is stopped then as well. */
  let running: Promise<Server> | undefined;
  let log = '';
  let imports = 0;

  async function stopRunning(): Promise<void> {
    const server = await running?.catch(() => undefined);
    running = undefined;
    if (!server) return;
    const kill = setTimeout(() => server.child.kill('SIGKILL'), stopMs);
    await stopServer(server);
    clearTimeout(kill);
  }

  async function carte(...args: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [join(checkout, 'bin/carte.js'), ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [printed, errors] = ['', ''];
    child.stdout.on('data', chunk => (printed += chunk));
    child.stderr.on('data', chunk => (errors += chunk));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`carte ${args.join(' ')} exited with ${code}: ${errors}`);
    return printed.trim();
  }

  return {
    async restart() {
      await stopRunning();
      running = startCheckout(checkout, env, text => {
        log += text;
      });
      return running;
    },
    carte,
    async importDocuments(kind, lines) {
      const file = join(folder, `${kind}-${++imports}.ndjson`);
      await writeFile(file, lines);
      await carte('import', kind, file);
    },
    takeLog() {
      const taken = log;
      log = '';
      return taken;
    },
    async stop() {
      await stopRunning();
      await database.stop();
    },
  };
}
