import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';

const warning =
  'A page called this service under the name that it was loaded from, but is not taken for one of its own. If the service is reached under ' +
  'this name, set CARTE_OWN_ORIGINS, or name the proxy in CARTE_TRUST_PROXY; else it may be DNS rebinding';

/**
 * Creates the function that tells whether a request comes from a page of the service itself. `Host` does not tell: whoever owns a name
 * can have it resolve to this service after he has loaded his page from it (DNS rebinding), and then it equals `Origin`.
 */
export function createIsOwnOrigin(
  { host, http, trustedProxies }: Pick<Config, 'host' | 'http' | 'trustedProxies'>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): (request: IncomingMessage) => boolean {
  const names = new Set(['localhost', '127.0.0.1', '[::1]', hostnameOf(host)]);
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  let hasWarned = false;

  /** By default: the address listened on, with the port of the connection, and what a trusted proxy was reached under. */
  function isOwn(url: URL, { headers, socket }: IncomingMessage): boolean {
    if (http.ownOrigins.length > 0) return http.ownOrigins.includes(url.origin);
    const isListenedOn = names.has(url.hostname) || url.hostname === hostnameOf(socket.localAddress);
    if (isListenedOn && url.protocol === 'http:' && Number(url.port || 80) === socket.localPort) return true;
    return isTrusted(socket.remoteAddress ?? '', 0) && isReachedUnder(url, headers);
  }

  return request => {
    const { origin = '' } = request.headers;
    const url = URL.parse(origin);
    // Browsers send it in one form; that of files and sandboxes is "null".
    if (url?.origin !== origin) return false;
    if (isOwn(url, request)) return true;
    if (!hasWarned && isReachedUnder(url, request.headers)) {
      hasWarned = true;
      log.warn({ origin: origin.slice(0, 200) }, warning);
    }
    return false;
  };
}

/** Whether the origin has the host that the client, or the last proxy, has asked for. */
function isReachedUnder(url: URL, { host, 'x-forwarded-host': forwarded = host }: IncomingMessage['headers']): boolean {
  const last = String(forwarded).split(',').at(-1)?.trim();
  // With the scheme of the origin, which says what the default port is.
  return URL.parse(`${url.protocol}//${last}`)?.host === url.host;
}

/** As a URL has it; an IPv4 address also where a socket for IPv6 has accepted it. */
function hostnameOf(address = ''): string {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return isIPv6(plain) ? `[${plain}]` : plain.toLowerCase();
}
