import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { runCommand } from '../../src/cli.ts';

const bin = fileURLToPath(new URL('../../bin/carte.js', import.meta.url));

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder that is removed after the test. */
export function temporaryFolder(name = 'carte cli '): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts `carte` as a process, which is killed after the test, or when `onEnd` calls back. */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onEnd: (kill: () => void) => void = onTestFinished,
  input = '',
) {
  const { DATABASE_URL: _ours, ...inherited } = process.env;
  const child = spawn(process.execPath, [bin, ...args], { env: { ...inherited, ...env } });
  onEnd(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (output.stdout += chunk));
  child.stderr.on('data', chunk => (output.stderr += chunk));
  child.stdin.end(input);
  const ended = new Promise<Run>(resolve => child.on('close', code => resolve({ code, ...output })));
  return { child, ended, output };
}

/** Runs `carte` as a process of its own to its end. */
export function runProcess(args: readonly string[], env: Readonly<Record<string, string>>, input = ''): Promise<Run> {
  return start(args, env, onTestFinished, input).ended;
}

/** Runs a command in this process, which saves loading the program each time; `code` is what the process would exit with. */
export async function run(args: readonly string[], env: Readonly<Record<string, string>>, input = ''): Promise<Run> {
  const output = { stdout: '', stderr: '' };
  const capture = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation(chunk => {
      output[name] += chunk;
      return true;
    });
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  const spies = [
    capture('stdout'),
    capture('stderr'),
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never),
  ];
  vi.stubEnv('DATABASE_URL', undefined);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return { code: await runCommand(args), ...output };
  } finally {
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

/** Waits until a process has printed a text. */
export async function waitForOutput(
  { child, ended, output }: ReturnType<typeof start>,
  text: string,
  stream: 'stdout' | 'stderr' = 'stdout',
): Promise<string> {
  while (!output[stream].includes(text)) {
    const more = new Promise<'more'>(resolve => child[stream].once('data', () => resolve('more')));
    const next = await Promise.race([more, ended]);
    if (next !== 'more') throw new Error(`ended with ${next.code} before it printed "${text}": ${next.stderr}`);
  }
  return output[stream];
}
