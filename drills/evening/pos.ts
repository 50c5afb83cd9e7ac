import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../examples/pos-python/pos.py', import.meta.url));

export interface Target {
  readonly url: string;
  readonly key: string;
  readonly storeId: string;
}

/** The client in Python: one that serves, which can be killed and is started again, and single commands. */
export function createPos({ url, key, storeId }: Target, stateFile: string) {
  const env = { ...process.env, CARTE_URL: url, CARTE_KEY: key };
  let tickets = '';
  let retries = 0;
  let failure: string | undefined;
  const start = () => {
    const args = [program, storeId, 'serve', '--state', stateFile, '--minutes', '0.03'];
    const child = spawn('python3', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', chunk => (tickets += chunk));
    child.stderr.on('data', chunk => {
      const text = String(chunk);
      retries += text.split('retrying in').length - 1;
      if (!text.includes('retrying in')) failure = text;
    });
    return { child, closed: once(child, 'close') };
  };
  let serving = start();
  return {
    /** The ids of the tickets, as they were printed. */
    tickets: () => tickets.split('\n').flatMap(line => (line ? [line.split('  ')[0] ?? ''] : [])),
    retries: () => retries,
    /** What it has printed besides that it repeats a request. */
    failure: () => failure,
    async restart(): Promise<void> {
      serving.child.kill('SIGKILL');
      await serving.closed;
      serving = start();
    },
    async run(...args: readonly string[]): Promise<void> {
      const child = spawn('python3', [program, storeId, ...args], { env, stdio: 'ignore' });
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`pos.py ${args.join(' ')} exited with ${code}`);
    },
    async stop(): Promise<void> {
      serving.child.kill('SIGTERM');
      await serving.closed;
    },
  };
}
