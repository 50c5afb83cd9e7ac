import { Agent, request as begin, type IncomingHttpHeaders } from 'node:http';

/** A POST if it has a body. */
export interface Request {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly chunks: readonly Buffer[];
  /** Start and end in milliseconds. */
  readonly begun: number;
  readonly ended: number;
}

export interface Client {
  send(request: Request): Promise<HttpResponse>;
  close(): void;
}

/** Sends requests with a key, over keep-alive connections. */
export function createClient(url: string, key: string, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);
  return {
    send({ path, headers, body }) {
      const begun = performance.now();
      const method = body === undefined ? 'GET' : 'POST';
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const options = { agent, hostname, port, path, method, headers: { 'x-api-key': key, ...type, ...headers } };
      const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
      begin(options, response => {
        const chunks: Buffer[] = [];
        response.on('data', chunk => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            chunks,
            begun,
            ended: performance.now(),
          }),
        );
      })
        .on('error', reject)
        .end(body);
      return promise;
    },
    close: () => agent.destroy(),
  };
}

export const textOf = ({ chunks }: HttpResponse) => Buffer.concat(chunks).toString();

/** Sends a request and throws if the response has another status. */
export async function sendExpecting(client: Client, request: Request, status: number): Promise<HttpResponse> {
  const response = await client.send(request);
  if (response.status === status) return response;
  throw new Error(
    `${request.path} returned ${response.status} instead of ${status}: ${textOf(response).slice(0, 300)}`,
  );
}

/** Runs numbered tasks over a number of connections at once, until `hasMore` returns false. */
export async function inParallel(
  connections: number,
  hasMore: (turn: number) => boolean,
  work: (turn: number) => Promise<void>,
): Promise<void> {
  let turn = 0;
  const connection = async () => {
    while (hasMore(turn)) await work(turn++);
  };
  await Promise.all(Array.from({ length: connections }, connection));
}
