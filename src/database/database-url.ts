/** One server of a connection URL. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

export interface DatabaseUrl {
  /** A URL that `pg` and MikroORM can parse: of several hosts the first. */
  readonly url: string;
  /** All hosts, as libpq takes them: the primary is one of them. */
  readonly hosts: readonly Host[];
  readonly targetSessionAttrs: string;
}

const parts = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;
const hostAndPort = /^(\[[0-9a-f:.%]+\]|[^:@[\]]*)(?::(\d{1,5}))?$/i;

/** Parses a connection URL as libpq does; undefined for one that is not. */
export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  const [, scheme, credentials, authority = '', path = '/', query = ''] = parts.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const targetSessionAttrs = parameters.get('target_session_attrs') ?? 'any';
  const hosts = hostsOf(authority, parameters);
  const [first] = hosts ?? [];
  if (!hosts || !first) return undefined;
  // Each session gets a name of its own (database/client.ts).
  const isPlain = hosts.length === 1 && URL.canParse(text) && !parameters.has('application_name');
  if (isPlain) return { url: text, hosts, targetSessionAttrs };
  for (const name of ['target_session_attrs', 'host', 'port', 'application_name']) parameters.delete(name);
  // A socket's folder cannot be a host name; `pg` takes it as a parameter.
  const isSocket = first.host.startsWith('/');
  if (isSocket) parameters.set('host', first.host);
  const host = isSocket ? 'localhost' : first.host.includes(':') ? `[${first.host}]` : encodeURIComponent(first.host);
  const search = parameters.size > 0 ? `?${parameters}` : '';
  const url = `${scheme}${credentials === undefined ? '' : `${credentials}@`}${host}:${first.port}${path}${search}`;
  return URL.canParse(url) ? { url, hosts, targetSessionAttrs } : undefined;
}

function hostsOf(authority: string, parameters: URLSearchParams): readonly Host[] | undefined {
  const given = authority.split(',').map(part => hostAndPort.exec(part));
  if (given.includes(null)) return undefined;
  const named = parameters.get('host')?.split(',');
  const ports = parameters.get('port')?.split(',');
  const names = named ?? given.map(match => decode(match?.[1] ?? '').replace(/^\[(.+)\]$/, '$1'));
  const hosts = names.map((host, at) => {
    // One port serves all hosts, as with libpq.
    const port = ports ? (ports[at] ?? ports[0]) : (given[at] ?? given[0])?.[2];
    return { host: host || 'localhost', port: port ? Number(port) : 5432 };
  });
  return hosts.every(({ port }) => port > 0 && port < 65_536) ? hosts : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
