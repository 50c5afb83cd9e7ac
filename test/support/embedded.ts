import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type EmbeddedServer, startEmbedded } from '@carte/embedded-postgres';
import pg from 'pg';
import { onTestFinished } from 'vitest';

export interface Program {
  readonly pid: number;
  /** Stops it gracefully, and returns its exit code. */
  stop(): Promise<number>;
  kill(): Promise<void>;
}

export interface SpawnOptions {
  readonly uid?: number;
  /** A command that runs the program. */
  readonly wrapper?: readonly string[];
}

const self = process.getuid?.() ?? 0;
export const isRoot = self === 0;

const settings = { fsync: 'off' };
const embedded = new URL('../../packages/embedded-postgres/src/index.ts', import.meta.url);
const source = `
  import { startEmbedded } from '${embedded}';
  process.on('SIGINT', () => {});
  const server = await startEmbedded({ dataFolder: process.argv[1], database: 'carte', settings: ${JSON.stringify(settings)} });
  process.stdout.write('ready');
  for await (const _ of process.stdin);
  await server.stop();
`;

export const nobody = 65534;
/** Root can run this checkout as another user, unless only root can read its path. */
export const canBeNobody =
  isRoot &&
  spawnSync(process.execPath, ['--check', fileURLToPath(embedded)], { uid: nobody, gid: nobody }).status === 0;
/** Options for a process that is subject to file permissions, which root is not. */
export const canBeUser = !isRoot || canBeNobody;
export const asUser = isRoot ? { uid: nobody, gid: nobody } : {};

/** The path of a data folder that does not exist yet. Kills its server after the test. */
export function newFolder(...names: readonly string[]): string {
  const parent = mkdtempSync(join(tmpdir(), 'carte-embedded-'));
  chmodSync(parent, 0o755);
  const folder = join(parent, ...names, 'data');
  onTestFinished(() => {
    killServer(folder);
    rmSync(parent, { recursive: true, maxRetries: 5 });
  });
  return folder;
}

export async function start(dataFolder: string): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataFolder, database: 'carte', settings });
  onTestFinished(() => server.stop());
  return server;
}

/** The pid of the running server. */
export function serverPid(folder: string): number | undefined {
  const file = join(folder, 'postgres', 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  try {
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

/** Kills the running server; returns its pid. */
export function killServer(folder: string): number | undefined {
  const pid = serverPid(folder);
  if (pid) process.kill(pid, 'SIGKILL');
  return pid;
}

/** The first value of the first row. */
export async function queryValue(server: EmbeddedServer, query: string): Promise<unknown> {
  const client = new pg.Client(server.connection);
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query({ text: query, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/** Spawns a program, in a process group of its own, that joins the server of the folder. */
export function spawnProgram(folder: string, { uid = self, wrapper = [] }: SpawnOptions = {}): ChildProcess {
  const args = [...wrapper, process.execPath, '--input-type=module', '-e', source, folder];
  const program = spawn('env', args, { detached: true, uid, gid: uid });
  onTestFinished(() => {
    program.kill('SIGKILL');
  });
  return program;
}

/** Spawns a program and waits until it has joined. */
export async function startProgram(folder: string, options?: SpawnOptions): Promise<Program> {
  return joined(spawnProgram(folder, options));
}

export async function joined(program: ChildProcess): Promise<Program> {
  const { stdin, stdout, stderr, pid } = program;
  if (!stdin || !stdout || !stderr || !pid) throw new Error('the program did not start');
  const ended = once(program, 'exit');
  const errorOutput = text(stderr);
  const ready = await Promise.race([once(stdout, 'data'), ended.then(() => undefined)]);
  if (!ready) throw new Error(await errorOutput);
  return {
    pid,
    async stop() {
      stdin.end();
      const [code] = await ended;
      if (code !== 0) process.stderr.write(`a program ended with ${code}: ${await errorOutput}\n`);
      return code;
    },
    async kill() {
      program.kill('SIGKILL');
      await ended;
    },
  };
}
