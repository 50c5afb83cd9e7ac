import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Webhook as Signer } from 'standardwebhooks';
import { untilAborted } from '../scheduling/until-aborted.ts';
import { version } from '../version.ts';
import { type AddressPolicy, ForbiddenAddress, parseWebhookUrl, type Resolve, resolveAllowed } from './address.ts';
import { type Message, withoutFullStop } from './message.ts';

/** Where a message goes, and the secrets to sign it with: the current one and, for a while after a rotation, the one before. */
export interface Endpoint {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** What became of one attempt. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** The HTTP status of the response; null without a response. */
  readonly status: number | null;
  /** Why it was not delivered; null if it was. */
  readonly error: string | null;
  readonly durationMs: number;
  /** What the response asked for with `Retry-After`. */
  readonly retryAfterSeconds: number | null;
}

export type Send = (endpoint: Endpoint, message: Message, signal?: AbortSignal) => Promise<Attempt>;

interface SenderOptions {
  readonly policy: AddressPolicy;
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

/** From the start of the DNS lookup to the header of the response. */
export const defaultTimeoutMs = 10_000;
/** A longer response body is not read to its end, and costs its sender the connection. */
const maxResponseBytes = 16 * 1024;
const maxHeaderBytes = 8 * 1024;

/** Sends messages. Redirects are not followed, and every new connection goes to an address that was checked for it. */
export function createSender({ policy, timeoutMs = defaultTimeoutMs, resolve }: SenderOptions) {
  const agentOptions = { keepAlive: true, maxFreeSockets: 100, timeout: 2 * timeoutMs };
  const agents = { 'http:': new HttpAgent(agentOptions), 'https:': new HttpsAgent(agentOptions) };

  const post = async (endpoint: Endpoint, message: Message, signal: AbortSignal): Promise<IncomingMessage> => {
    const url = parseWebhookUrl(endpoint.url, policy);
    // The lookup of the operating system cannot be cancelled.
    const addresses = await untilAborted(signal, resolveAllowed(url, policy, resolve));
    const isHttps = url.protocol === 'https:';
    const response = Promise.withResolvers<IncomingMessage>();
    const request = (isHttps ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: isHttps ? agents['https:'] : agents['http:'],
      // The connection uses the addresses that were checked: a second lookup may return others (DNS rebinding).
      lookup: lookupOf(addresses),
      headers: headersOf(endpoint, message),
      maxHeaderSize: maxHeaderBytes,
      signal,
    });
    request.on('response', response.resolve);
    request.on('error', response.reject);
    request.end(message.body);
    return response.promise;
  };

  const send: Send = async (endpoint, message, signal) => {
    const startedAt = performance.now();
    const timeout = AbortSignal.timeout(timeoutMs);
    const end = (outcome: Partial<Attempt>): Attempt => ({
      isDelivered: false,
      status: null,
      error: null,
      retryAfterSeconds: null,
      durationMs: Math.round(performance.now() - startedAt),
      ...outcome,
    });
    try {
      const response = await post(endpoint, message, signal ? AbortSignal.any([timeout, signal]) : timeout);
      discard(response);
      return end(outcomeOf(response));
    } catch (error) {
      if (signal?.aborted) throw error;
      const reason = timeout.aborted ? `no response within ${timeoutMs / 1000} seconds` : reasonOf(error);
      return end({ error: reason });
    }
  };

  return {
    send,
    /** Closes idle connections. */
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** The headers of a signed message. */
export function headersOf({ secrets }: Endpoint, { id, body }: Message): Record<string, string> {
  const sentAt = new Date();
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': `Carte/${version}`,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': secrets.map(secret => new Signer(secret).sign(id, sentAt, body)).join(' '),
  };
}

function lookupOf(addresses: Awaited<ReturnType<typeof resolveAllowed>>): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family ?? 0);
  };
}

/** Reads a short body to its end, so that the connection can be used again. */
function discard(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxResponseBytes) response.destroy();
  });
  // The status has arrived, so what happens to the rest does not matter.
  response.on('error', () => {});
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): Partial<Attempt> {
  if (status >= 200 && status < 300) return { isDelivered: true, status };
  const isRedirect = status >= 300 && status < 400;
  const error = `the response has status ${status}${isRedirect ? '; redirects are not followed' : ''}`;
  const retryAfter = headers['retry-after'];
  return { status, error, retryAfterSeconds: retryAfter && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : null };
}

function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenAddress) return withoutFullStop(error.message);
  // Connecting to several addresses fails with the errors of all of them.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}
