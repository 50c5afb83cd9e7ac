import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { MikroORM } from '@mikro-orm/postgresql';
import { expect, onTestFinished } from 'vitest';
import { start, untilSaid } from '../cli/support.ts';
import { urlOf } from '../support/url.ts';

/** `carte serve` as a process of its own, on a test's database. */
export async function startService(orm: MikroORM, env: Record<string, string> = {}) {
  const service = start(['serve'], { DATABASE_URL: urlOf(orm), PORT: '0', ...env });
  const said = await untilSaid(service, 'Carte is ready at ');
  return { ...service, url: /Carte is ready at (\S+)/.exec(said)?.[1] ?? '' };
}

/** Makes calls to a service of their own; answers everything that it said, and its lines about requests. */
export async function observe(
  orm: MikroORM,
  env: Record<string, string>,
  calls: (url: string) => Promise<unknown>,
): Promise<{ readonly said: string; readonly requests: readonly Record<string, unknown>[] }> {
  const { child, ended, url } = await startService(orm, env);
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

/** Takes what OpenTelemetry sends. */
export async function startCollector() {
  const received: string[] = [];
  const collector = createServer(async (request, response) => {
    received.push(await text(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void collector.close());
  const address = collector.address();
  return { received, endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` };
}
