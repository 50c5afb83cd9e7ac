import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whether this machine has Varnish, with the modules of deploy/edge/varnish.vcl. */
export const hasVarnish = (): boolean => {
  if (spawnSync('varnishd', ['-V'], { stdio: 'ignore' }).error) return false;
  const folder = mkdtempSync(join(tmpdir(), 'carte-vcl-'));
  const { status } = spawnSync('varnishd', ['-j', 'none', '-C', '-n', folder, '-f', vclFile], { stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
  return status === 0;
};

const vclFile = new URL('../deploy/edge/varnish.vcl', import.meta.url).pathname;

/** Varnish on a port of the loopback interface, as deploy/edge describes it, in front of a port that it is told. */
export async function createVarnish(port: number) {
  const secret = randomBytes(32).toString('base64');
  const folder = mkdtempSync(join(tmpdir(), 'carte-varnish-'));
  let child: ChildProcess | undefined;

  async function isListening(): Promise<boolean> {
    const socket = connect(port, '127.0.0.1');
    const outcome = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error')]).catch(
      () => 0,
    );
    socket.destroy();
    return outcome === true;
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    // A manager that is killed ends its worker, too.
    child.kill(signal);
    await exited;
    while (await isListening()) await sleep(20);
  }

  return {
    url: `http://127.0.0.1:${port}`,
    secret,
    /** Of purges it takes those of this address alone. */
    async start(backend: number, purger = '127.0.0.1'): Promise<void> {
      const vcl = readFileSync(vclFile, 'utf8').replace('.port = "4000"', `.port = "${backend}"`);
      writeFileSync(join(folder, 'edge.vcl'), vcl.replace('"127.0.0.1";\n  "::1";', `"${purger}";`));
      const args = ['-F', '-j', 'none', '-n', folder, '-a', `127.0.0.1:${port}`, '-f', join(folder, 'edge.vcl')];
      child = spawn('varnishd', [...args, '-s', 'malloc,64m', '-p', 'thread_pool_min=20'], {
        stdio: 'ignore',
        env: { ...process.env, CARTE_EDGE_PURGE_SECRET: secret },
      });
      for (const endsAt = Date.now() + 20_000; !(await isListening()); await sleep(20)) {
        if (child.exitCode !== null || Date.now() > endsAt) throw new Error('varnishd has not started');
      }
    },
    /** A counter of varnishstat, e.g. `MAIN.n_object`. */
    stat(name: string): number {
      const printed = execFileSync('varnishstat', ['-1', '-j', '-n', folder, '-f', name], { encoding: 'utf8' });
      return JSON.parse(printed).counters[name].value;
    },
    kill: () => stop('SIGKILL'),
    async close(): Promise<void> {
      await stop('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
