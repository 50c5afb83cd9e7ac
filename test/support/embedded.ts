import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { type EmbeddedServer, startEmbedded } from '../../src/database/embedded.ts';

export interface Program {
  readonly pid: number;
  /** Ends as programs do, stopping its server, and says with which code. */
  leave(): Promise<number>;
  kill(): Promise<void>;
}

export interface Circumstances {
  readonly uid?: number;
  /** A command that runs the program. */
  readonly through?: readonly string[];
}

const self = process.getuid?.() ?? 0;
export const isRoot = self === 0;

const settings = { fsync: 'off' };
const embedded = new URL('../../src/database/embedded.ts', import.meta.url);
const source = `
  import { startEmbedded } from '${embedded}';
  process.on('SIGINT', () => {});
  const server = await startEmbedded({ dataFolder: process.argv[1], settings: ${JSON.stringify(settings)} });
  process.stdout.write('ready');
  for await (const _ of process.stdin);
  await server.stop();
`;

export const nobody = 65534;
/** Root can run this checkout as another user, unless it lies where only root can read. */
export const canBeNobody =
  isRoot &&
  spawnSync(process.execPath, ['--check', fileURLToPath(embedded)], { uid: nobody, gid: nobody }).status === 0;
/** Whom permissions bind: anyone but root. */
export const canBeBound = !isRoot || canBeNobody;
export const bound = isRoot ? { uid: nobody, gid: nobody } : {};

/** The name of a data folder that is not there yet. Whatever still runs in it after the test is killed. */
export function newFolder(...names: readonly string[]): string {
  const parent = mkdtempSync(join(tmpdir(), 'carte-embedded-'));
  chmodSync(parent, 0o755);
  const folder = join(parent, ...names, 'data');
  onTestFinished(() => {
    const pid = serverPid(folder);
    if (pid) process.kill(pid, 'SIGKILL');
    rmSync(parent, { recursive: true, maxRetries: 5 });
  });
  return folder;
}

export async function start(dataFolder: string): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataFolder, settings });
  onTestFinished(() => server.stop());
  return server;
}

/** The process of the server, if one runs. */
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

/** The first value of the first row. */
export async function ask(server: EmbeddedServer, query: string): Promise<unknown> {
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

/** A program in a process group of its own that joins the server of the folder. */
export function spawnProgram(folder: string, { uid = self, through = [] }: Circumstances = {}): ChildProcess {
  const args = [...through, process.execPath, '--input-type=module', '-e', source, folder];
  const program = spawn('env', args, { detached: true, uid, gid: uid });
  onTestFinished(() => {
    program.kill('SIGKILL');
  });
  return program;
}

/** The same, once it has joined. */
export async function startProgram(folder: string, circumstances?: Circumstances): Promise<Program> {
  return joined(spawnProgram(folder, circumstances));
}

export async function joined(program: ChildProcess): Promise<Program> {
  const { stdin, stdout, stderr, pid } = program;
  if (!stdin || !stdout || !stderr || !pid) throw new Error('the program did not start');
  const ended = once(program, 'exit');
  const complaint = text(stderr);
  const joined = await Promise.race([once(stdout, 'data'), ended.then(() => undefined)]);
  if (!joined) throw new Error(await complaint);
  return {
    pid,
    async leave() {
      stdin.end();
      const [code] = await ended;
      if (code !== 0) process.stderr.write(`a program ended with ${code}: ${await complaint}\n`);
      return code;
    },
    async kill() {
      program.kill('SIGKILL');
      await ended;
    },
  };
}
