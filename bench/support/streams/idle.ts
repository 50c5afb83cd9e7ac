import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds } from '../../../support/cpu.ts';
import type { Database } from '../../../support/database.ts';
import type { Program } from '../../../support/program.ts';
import { createKey } from '../../../support/servers.ts';

const residentMb = (pid: number | undefined) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Measures the memory of streams that wait, with SSE on sockets of their own. */
export async function measureIdle({ atEnd, startServer }: Program, database: Database, count: number): Promise<void> {
  const limits = { CARTE_STREAMS: String(count), CARTE_STREAMS_PER_KEY: String(count), CARTE_LOG_LEVEL: 'error' };
  const server = await startServer({ ...database.env, ...limits });
  const key = await createKey(database.env);
  const request = `GET /graphql?${new URLSearchParams({ query: 'subscription { storeEvents { cursor store { id } } }' })} HTTP/1.1`;
  const head = [request, 'Host: x', 'Accept: text/event-stream', `X-Api-Key: ${key}`].join('\r\n');
  const sockets: Socket[] = [];
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
  });
  const open = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n`));
      socket.once('data', data => (String(data).includes(' 200 ') ? resolve() : reject(new Error(String(data)))));
      socket.once('error', reject);
      sockets.push(socket);
    });
  await open();
  await sleep(1_000);
  const before = residentMb(server.child.pid);
  while (sockets.length < count) await Promise.all(Array.from({ length: Math.min(50, count - sockets.length) }, open));
  await sleep(2_000);
  const after = residentMb(server.child.pid);
  const cpu = cpuSeconds(server.child.pid);
  await sleep(10_000);
  const idleCpu = (cpuSeconds(server.child.pid) - cpu) / 10;
  const kilobytes = ((after - before) * 1024) / (count - 1);
  console.log(
    `${count} idle streams: ${before.toFixed(0)} → ${after.toFixed(0)} MB, ${kilobytes.toFixed(1)} KB each; ${(idleCpu * 100).toFixed(1)} % of a core`,
  );
}
