import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('..', import.meta.url));
const bin = join(checkout, 'bin/carte.js');

/** Node options of `npm start`. */
function flagsOf(folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return String(scripts.start)
    .split(' ')
    .filter(word => word.startsWith('--'));
}

export interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: number;
}

type OnLog = (text: string) => void;
const passOn: OnLog = text => void process.stderr.write(text);

/** Starts the service as `npm start` does and waits until it is ready; its log goes to stderr or to `onLog`. */
export function startServer(env: Readonly<Record<string, string>>, onLog: OnLog = passOn): Promise<Server> {
  return startCheckout(checkout, env, onLog);
}

/** Starts the service of another checkout with installed dependencies. */
export function startCheckout(folder: string, env: Readonly<Record<string, string>>, onLog: OnLog = passOn) {
  return startProgram([...flagsOf(folder), join(folder, 'bin/carte.js'), 'serve'], env, onLog);
}

/** Starts a program that prints its URL when it is ready, and waits for it. */
export async function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onLog: OnLog = passOn,
): Promise<Server> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.setEncoding('utf8').on('data', onLog);
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    const url = /is ready at (\S+)/.exec(said)?.[1];
    if (url) {
      child.stdout.resume();
      return { child, url, port: Number(new URL(url).port) };
    }
  }
  throw new Error(`${args.join(' ')} exited before it was ready: ${said}`);
}

export async function stopServer({ child }: Server): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Runs a command and returns its output. */
export async function carte(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, [bin, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', chunk => (said += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`carte ${args.join(' ')} exited with ${code}`);
  return said.trim();
}
