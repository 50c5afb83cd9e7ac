import { spawn } from 'node:child_process';

const linesOf = (text: string) => text.split('\n').filter(line => line !== '');

/** Runs a script of a package.json as `npm run` does, without the start of npm. */
export async function runScript(folder: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--run', ...args], { cwd: folder, env: { ...process.env, ...env } });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', chunk => (output.stdout += chunk));
  child.stderr.on('data', chunk => (output.stderr += chunk));
  const code = await new Promise(resolve => child.on('close', resolve));
  return { code, stdout: linesOf(output.stdout), stderr: linesOf(output.stderr) };
}
