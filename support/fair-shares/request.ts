import { Agent, request as begin, type IncomingHttpHeaders } from 'node:http';

/** A POST if it has a body. */
export interface HttpRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Response {
  /** 0 if the connection was closed without a response, and -1 if there was none in time. */
  readonly status: number;
  /** Seconds of the header `retry-after`; undefined without it. */
  readonly retryAfter: number | undefined;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  readonly ms: number;
}

export const closedStatus = 0;
export const lateStatus = -1;

export interface HttpClient {
  send(request: HttpRequest): Promise<Response>;
  close(): void;
}

/** Sends requests over keep-alive connections; never rejects, and gives up after a time limit. */
export function createHttpClient(
  url: string,
  options: { readonly connections: number; readonly limitMs: number },
): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const { hostname, port } = new URL(url);
  return {
    send: ({ path, headers, body }) =>
      new Promise(resolve => {
        const begun = performance.now();
        const chunks: Buffer[] = [];
        const end = (status: number, received: IncomingHttpHeaders = {}) => {
          clearTimeout(timer);
          const retryAfter = received['retry-after'];
          resolve({
            status,
            retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
            text: Buffer.concat(chunks).toString(),
            headers: received,
            ms: performance.now() - begun,
          });
        };
        const method = body === undefined ? 'GET' : 'POST';
        const length =
          body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        const sent = begin({ agent, hostname, port, path, method, headers: { ...length, ...headers } }, response => {
          const { statusCode = closedStatus, headers: received } = response;
          response.on('data', chunk => chunks.push(chunk));
          response.on('end', () => end(statusCode, received));
          // A service that refuses a request before its body may close the connection right after the status.
          response.on('error', () => end(statusCode, received));
        });
        sent.on('error', () => end(closedStatus));
        const timer = setTimeout(() => {
          end(lateStatus);
          sent.destroy();
        }, options.limitMs);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

/** The first error code of a GraphQL response, which stands before or after the data. */
export function errorCodeOf(text: string): string | undefined {
  const margin = 50_000;
  const margins = text.length > 2 * margin ? text.slice(0, margin) + text.slice(-margin) : text;
  return /"errors":/.test(margins) ? (/"code":"([A-Z_]+)"/.exec(margins)?.[1] ?? 'ERROR') : undefined;
}

/** The response in a few characters: the status, the code of a GraphQL error, and whether it has `retry-after`. */
export function describeResponse({ status, retryAfter, text }: Response): string {
  if (status === closedStatus) return 'closed';
  if (status === lateStatus) return 'timeout';
  const code = text.startsWith('{') ? errorCodeOf(text) : undefined;
  return [status, code, retryAfter === undefined ? undefined : 'retry-after'].filter(Boolean).join(' ');
}

/** Whether the caller was refused, in whatever way; a 503 without `retry-after` or a 500 is a failure instead. */
export function isRefusal(outcome: string): boolean {
  return /^(4\d\d|200 (?!UNAVAILABLE|INTERNAL)[A-Z]|503\b.*retry-after|closed|close 1008|close 44)/.test(outcome);
}

export const isFailure = (outcome: string) =>
  /^(timeout|5\d\d|200 (UNAVAILABLE|INTERNAL))/.test(outcome) && !isRefusal(outcome);
