import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { Probe, RawProbe } from './probe.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  readonly milliseconds: number;
}

/** Failure of a request without a response. */
export interface Failure {
  readonly failure: string;
  /** Whether the connection was reused. */
  readonly reused: boolean;
  readonly milliseconds: number;
}

const timeoutMs = 60_000;

/** Sends a request verbatim; `fetch` would normalise the path and reject some headers. */
export async function send(url: URL, agent: Agent, probe: Probe): Promise<HttpResponse | Failure> {
  const response = await sendOnce(url, agent, probe);
  // The server may close a keep-alive connection while a request is being sent over it.
  return 'failure' in response && response.reused ? sendOnce(url, new Agent(), probe) : response;
}

function sendOnce(url: URL, agent: Agent, { method, path, headers, body }: Probe): Promise<HttpResponse | Failure> {
  const begun = performance.now();
  const elapsed = () => performance.now() - begun;
  // Node sends no Content-Length for methods that rarely have a body.
  const length = body === undefined ? [] : [['content-length', String(Buffer.byteLength(body))] as const];
  const given = Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]);
  const address = { host: url.hostname, port: url.port, method, path, agent, timeout: timeoutMs };
  return new Promise(resolve => {
    const sent = request({ ...address, headers: Object.fromEntries([...given, ...length]) }, response => {
      const chunks: Buffer[] = [];
      response.on('data', chunk => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, milliseconds: elapsed() });
      });
    });
    function fail({ message }: Error) {
      resolve({ failure: message, reused: sent.reusedSocket, milliseconds: elapsed() });
    }
    sent.on('timeout', () => sent.destroy(new Error('no response')));
    sent.on('error', fail);
    sent.end(body);
  });
}

export interface RawResponse {
  readonly text: string;
  /** Whether the server closed the connection, rather than the timeout of the sender. */
  readonly ended: boolean;
  readonly milliseconds: number;
}

/** Writes bytes to a socket and collects the response until the server closes it. */
export function sendRaw(url: URL, { bytes, stalls }: RawProbe): Promise<RawResponse> {
  const begun = performance.now();
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    const finish = (ended: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text: Buffer.concat(chunks).toString('latin1'), ended, milliseconds: performance.now() - begun });
    };
    const timer = setTimeout(() => finish(false), timeoutMs);
    socket.on('data', chunk => chunks.push(chunk));
    socket.on('error', () => finish(true));
    socket.on('close', () => finish(true));
    if (stalls) socket.write(bytes);
    else socket.end(bytes);
  });
}
