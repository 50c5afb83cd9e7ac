import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('..', import.meta.url));

/** What `npm start` gives Node: options, and environment variables. */
function startOptionsOf(folder: string): { flags: readonly string[]; variables: Environment } {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const words = String(scripts.start).split(' ');
  return {
    flags: words.filter(word => word.startsWith('--')),
    variables: Object.fromEntries(words.filter(word => /^\w+=/.test(word)).map(word => word.split('='))),
  };
}

export interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: number;
}

export type Environment = Readonly<Record<string, string>>;
export type OnLog = (text: string) => void;
const passOn: OnLog = text => void process.stderr.write(text);

/** Starts the service as `npm start` does and waits until it is ready; its log goes to stderr or to `onLog`. */
export function startServer(env: Environment, onLog = passOn): Promise<Server> {
  return startCheckout(checkout, env, onLog);
}

/** Starts the service of another checkout with installed dependencies. */
export function startCheckout(folder: string, env: Environment, onLog = passOn) {
  const { flags, variables } = startOptionsOf(folder);
  return startProgram([...flags, join(folder, 'bin/carte.js'), 'serve'], { ...variables, ...env }, onLog);
}

/** Starts a program that prints its URL when it is ready, and waits for it. */
export async function startProgram(args: readonly string[], env: Environment, onLog = passOn): Promise<Server> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.setEncoding('utf8').on('data', onLog);
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    const url = /is ready at (\S+)/.exec(printed)?.[1];
    if (url) {
      child.stdout.resume();
      return { child, url, port: Number(new URL(url).port) };
    }
  }
  throw new Error(`${args.join(' ')} exited before it was ready: ${printed}`);
}

/** Stops a server; kills it if it has not exited after a time. */
export async function stopServer({ child }: Server, killAfterMs = 10_000): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const kill = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  child.kill('SIGTERM');
  await once(child, 'exit');
  clearTimeout(kill);
}

interface CommandOptions {
  /** The checkout whose command it is. */
  readonly folder?: string;
  /** Written to its standard input. */
  readonly input?: Iterable<string>;
}

/** Runs a command and returns its output. */
export async function carte(
  args: readonly string[],
  env: Environment,
  { folder = checkout, input = [] }: CommandOptions = {},
): Promise<string> {
  const child = spawn(process.execPath, [join(folder, 'bin/carte.js'), ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // A command that fails may not read its input to the end; its status says so.
  Readable.from(input)
    .pipe(child.stdin)
    .on('error', () => {});
  let printed = '';
  child.stdout.on('data', chunk => (printed += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`carte ${args.join(' ')} exited with ${code}`);
  return printed.trim();
}

/** Creates an API key that reads everything; further options of the command let it write. */
export function createKey(env: Environment, ...options: readonly string[]): Promise<string> {
  return carte(['key', 'create', '--name', 'key', '--all', ...options], env);
}

const chunkLength = 100_000;

export type DocumentKind = 'merchants' | 'stores' | 'orders';

export async function importDocuments(
  kind: DocumentKind,
  documents: Iterable<object>,
  env: Environment,
  folder = checkout,
): Promise<void> {
  await carte(['import', kind, '-'], env, { folder, input: toLines(documents) });
}

/** One document per line, in chunks: all of them may exceed the maximum length of a string. */
function* toLines(documents: Iterable<object>): Generator<string> {
  let chunk = '';
  for (const document of documents) {
    chunk += `${JSON.stringify(document)}\n`;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
