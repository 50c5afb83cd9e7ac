import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll } from 'vitest';

/** A message as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
  readonly message: any;
}

type Respond = (response: ServerResponse, received: Received) => void;

/** An endpoint for webhooks on the loopback interface; it accepts every message unless a path is told otherwise. */
export async function startReceiver() {
  const all: Received[] = [];
  const responses = new Map<string, Respond>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { url: path = '', headers } = request;
    const received = { path, headers, body, id: String(headers['webhook-id']), message: JSON.parse(body) };
    all.push(received);
    (responses.get(path) ?? (accepted => accepted.end()))(response, received);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    all,
    urlOf: (path: string) => `http://127.0.0.1:${port}${path}`,
    /** The messages of a path, in the order of arrival. */
    at: (path: string) => all.filter(received => received.path === path),
    respond(path: string, respond: Respond | number) {
      responses.set(path, typeof respond === 'number' ? response => response.writeHead(respond).end() : respond);
    },
    accept: (path: string) => responses.delete(path),
  };
}

/** Throws unless the signature is valid and recent. */
export function verify({ headers, body }: Received, secret: string): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}
