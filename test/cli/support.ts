import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/carte.js', import.meta.url));

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder that is gone after the test. */
export function temporaryFolder(name = 'carte cli '): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function start(args: readonly string[], env: Readonly<Record<string, string>>, input = '') {
  const { DATABASE_URL: _ours, ...inherited } = process.env;
  const child = spawn(process.execPath, [bin, ...args], { env: { ...inherited, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (output.stdout += chunk));
  child.stderr.on('data', chunk => (output.stderr += chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise<Run>(resolve => child.on('close', code => resolve({ code, ...output })));
  return { child, ended, output };
}

/** Runs a command to its end. */
export function run(args: readonly string[], env: Readonly<Record<string, string>>, input = ''): Promise<Run> {
  return start(args, env, input).ended;
}

/** Waits until a started program has said something on standard output. */
export async function untilSaid({ child, ended, output }: ReturnType<typeof start>, text: string): Promise<string> {
  while (!output.stdout.includes(text)) {
    const more = new Promise<'more'>(resolve => child.stdout.once('data', () => resolve('more')));
    const next = await Promise.race([more, ended]);
    if (next !== 'more') throw new Error(`ended with ${next.code} before it said "${text}": ${next.stderr}`);
  }
  return output.stdout;
}
