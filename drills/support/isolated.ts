import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runProgram } from '../../support/program.ts';
import { type Drill, runDrill } from './harness.ts';

/** A program of a Debian package. */
export interface Requirement {
  readonly program: string;
  readonly package: string;
}

const inside = 'CARTE_DRILL_ISOLATED';
const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** Waits for every orphan, as the first process of a namespace must; Node waits for its own children only. */
const init = ['bash', '-c', '"$@"; exit $?', 'drill'];

/**
 * Runs a drill in a network, with processes and with mounts of its own: its addresses are seen by nobody else, and when it ends, in whatever
 * way, all that it has started ends with it.
 */
export async function runIsolated(requirements: readonly Requirement[], work: (drill: Drill) => Promise<void>) {
  if (process.env[inside]) {
    // The end of the program outside.
    process.stdin
      .on('close', () => process.exit(1))
      .resume()
      .unref();
    await runDrill(work);
    return process.exit();
  }
  const problem = problemOf(requirements);
  if (problem) {
    console.error(problem);
    process.exitCode = 2;
    return;
  }
  await runProgram(async ({ folder, atEnd }) => {
    // Servers run as other users.
    chmodSync(folder, 0o711);
    const child = spawn('unshare', [...namespaces, ...init, process.execPath, ...process.argv.slice(1)], {
      env: { ...process.env, [inside]: 'on', TMPDIR: folder },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const exited = once(child, 'exit');
    atEnd(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    const [code] = await exited;
    process.exitCode = code ?? 1;
  });
}

function problemOf(requirements: readonly Requirement[]): string | undefined {
  if (process.platform !== 'linux') return 'This drill needs Linux: it runs its nodes in network namespaces.';
  const missing = requirements.filter(({ program }) => !isInstalled(program)).map(({ package: name }) => name);
  if (missing.length > 0) {
    return `Not installed: ${missing.join(', ')}. On Debian: apt-get install --no-install-recommends ${missing.join(' ')}`;
  }
  try {
    execFileSync('unshare', [...namespaces, 'true'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'This drill needs root, or CAP_SYS_ADMIN and CAP_NET_ADMIN: it runs its nodes in network namespaces.';
  }
}

function isInstalled(program: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  const files = program.startsWith('/') ? [program] : folders.map(folder => join(folder, program));
  return files.some(file => existsSync(file));
}
