import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';

interface PurgeRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A cache on the loopback interface that is purged by the body `{"tags": […]}`. */
export async function startPurgeReceiver() {
  const all: PurgeRequest[] = [];
  const server = createServer(async (request, response) => {
    all.push({ method: request.method ?? '', headers: request.headers, body: await text(request) });
    response.writeHead(receiver.status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/purge`,
    all,
    status: 200,
    tagsSince: (start: number): string[] => all.slice(start).flatMap(({ body }) => JSON.parse(body).tags),
    /** Resolves when something holds; the test's own time limit ends it. */
    async until(holds: () => boolean | Promise<boolean>): Promise<void> {
      while (!(await holds())) await sleep(10);
    },
  };
  return receiver;
}
