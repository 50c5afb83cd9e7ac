import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, expect, onTestFinished } from 'vitest';
import { start, waitForOutput } from '../cli/support.ts';
import { urlOf } from '../support/url.ts';

type Settings = Readonly<Record<string, string>>;

/** Starts `carte serve` as a process of its own on a test's database. */
export async function startService(orm: MikroORM, env: Settings = {}, onEnd?: (kill: () => void) => void) {
  const service = start(['serve'], { DATABASE_URL: urlOf(orm), PORT: '0', ...env }, onEnd);
  const printed = await waitForOutput(service, 'Carte is ready at ');
  return { ...service, url: /Carte is ready at (\S+)/.exec(printed)?.[1] ?? '' };
}

/** A service for several tests of a file: the running one, or a new one where a test has ended it. */
export function shareService(orm: MikroORM, env: Settings) {
  let running: Awaited<ReturnType<typeof startService>> | undefined;
  const kills: (() => void)[] = [];
  afterAll(() => {
    for (const kill of kills) kill();
  });
  return async () => {
    if (running?.child.exitCode !== null || running.child.signalCode !== null) {
      running = await startService(orm, env, kill => kills.push(kill));
    }
    return running;
  };
}

/** Makes calls to a service of their own; returns all of its output, and its log lines about requests. */
export async function observe(
  orm: MikroORM,
  env: Record<string, string>,
  calls: (url: string) => Promise<unknown>,
  onEnd?: (kill: () => void) => void,
): Promise<{ readonly said: string; readonly requests: readonly Record<string, unknown>[] }> {
  const { child, ended, url } = await startService(orm, env, onEnd);
  await calls(url);
  child.kill('SIGTERM');
  const { stdout, stderr, code } = await ended;
  expect(code).toBe(0);
  const lines = stderr.split('\n').filter(line => line.startsWith('{'));
  return {
    said: stdout + stderr,
    requests: lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'request'),
  };
}

/** Receives what the OpenTelemetry exporter sends. */
export async function startCollector(onEnd: (close: () => void) => void = onTestFinished) {
  const received: string[] = [];
  const collector = createServer(async (request, response) => {
    received.push(await text(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve));
  onEnd(() => void collector.close());
  const address = collector.address();
  return { received, endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` };
}
