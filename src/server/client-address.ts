import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';

/** The network that counts as one client: a single IPv4 address, or the /64 that a customer of IPv6 has. */
export type AddressOf = (request: IncomingMessage) => string;

/** Reads X-Forwarded-For only as far as proxies in these networks have written it. */
export function createAddressOf(trustedProxies: readonly string[]): AddressOf {
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return request => networkOf(proxyAddr(request, isTrusted));
}

function networkOf(text: string | undefined): string {
  // Undefined on a socket that is closed already, and a proxy may write any text.
  if (text === undefined || !ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  return new ipaddr.IPv6([...address.toByteArray().slice(0, 8), ...Array<number>(8).fill(0)]).toString();
}
