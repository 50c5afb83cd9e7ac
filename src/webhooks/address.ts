import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where webhooks may lead to: the internet, and what the operator adds. */
export interface AddressPolicy {
  /** Whether `http:` is allowed beside `https:`. */
  readonly allowHttp: boolean;
  /** CIDR blocks that are allowed although they are not public. */
  readonly allowNetworks: readonly string[];
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

export const resolveHost: Resolve = host => systemLookup(host, { all: true, verbatim: true });

/** The address of a webhook is not allowed: the message says why. */
export class ForbiddenAddress extends Error {}

const maxUrlLength = 2048;

/** Parses the URL of a webhook, without looking up its host; throws `ForbiddenAddress`. */
export function parseWebhookUrl(text: string, { allowHttp }: AddressPolicy): URL {
  if (text.length > maxUrlLength) throw new ForbiddenAddress(`The URL has more than ${maxUrlLength} characters.`);
  // The parser would drop some of them, and PostgreSQL cannot store NUL.
  const [control] = /\p{Cc}/u.exec(text) ?? [];
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw new ForbiddenAddress(`The URL contains the control character U+${code}.`);
  }
  const url = URL.parse(text);
  if (!url) throw new ForbiddenAddress(`${JSON.stringify(text)} is not a URL such as https://pos.example/webhooks.`);
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    const scheme = url.protocol.slice(0, -1);
    const hint = scheme === 'http' ? ' unless the operator sets CARTE_WEBHOOK_ALLOW_HTTP=on' : '';
    throw new ForbiddenAddress(`The URL begins with ${scheme}; only https is allowed${hint}.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ForbiddenAddress(
      'The URL contains a user name or password; webhooks are authenticated by their signature.',
    );
  }
  if (url.hash !== '') throw new ForbiddenAddress('The URL contains a fragment (#…), which is never sent.');
  return url;
}

/** Resolves the host of a URL; throws `ForbiddenAddress` unless every address is allowed, since any of them may be connected to. */
export async function resolveAllowed(
  url: URL,
  { allowNetworks }: AddressPolicy,
  resolve = resolveHost,
): Promise<readonly Address[]> {
  // The URL parser has turned every notation of an IPv4 address (decimal, octal, hexadecimal, short) into the usual one.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new ForbiddenAddress(`${host} has no address.`);
  for (const { address } of addresses) {
    if (isInNetworks(address, allowNetworks)) continue;
    if (isPublic(address) && !isReserved(url)) continue;
    if (isPublic(address)) throw reservedPort(url, address);
    const subject = address === host ? host : `${host} resolves to ${address}, which`;
    throw new ForbiddenAddress(
      `${subject} is not a public address; the operator can allow its network with CARTE_WEBHOOK_ALLOW_NETWORKS.`,
    );
  }
  return addresses;
}

/** IPv6 addresses outside of it are not routed in the internet, or stand for an IPv4 address. */
const globalUnicast = '2000::/3';
/** Addresses of public ranges that lead into the network of a cloud all the same: the metadata of Azure's machines. */
const cloudNetworks = ['168.63.129.16/32'];

/** A zone (`fe80::1%eth0`) only exists for addresses that are not public. `process` makes an IPv4 address of an IPv4-mapped one. */
const parseAddress = (text: string) => (ipaddr.isValid(text) && !text.includes('%') ? ipaddr.process(text) : undefined);

function isInNetworks(text: string, networks: readonly string[]): boolean {
  const address = parseAddress(text);
  return networks.some(network => {
    const [start, bits] = ipaddr.parseCIDR(network);
    return start.kind() === address?.kind() && address.match(start, bits);
  });
}

function isPublic(text: string): boolean {
  const address = parseAddress(text);
  if (address?.range() !== 'unicast' || isInNetworks(text, cloudNetworks)) return false;
  return address.kind() === 'ipv4' || isInNetworks(text, [globalUnicast]);
}

const minPort = 1024;
/** Without a port in the URL it is that of the scheme, 443 or 80. */
const isReserved = ({ port }: URL) => port !== '' && Number(port) < minPort && !['80', '443'].includes(port);

/** So that a webhook cannot be made to talk to a mail server, for example. */
function reservedPort({ port }: URL, address: string): ForbiddenAddress {
  return new ForbiddenAddress(
    `The port ${port} is reserved for other services: below ${minPort} only 443 and 80 are allowed, unless the operator allows ` +
      `the network of ${address} with CARTE_WEBHOOK_ALLOW_NETWORKS.`,
  );
}
