/** Purges tags in a cache; rejects unless it confirms. */
export type Purge = (url: string, tags: readonly string[], signal: AbortSignal) => Promise<void>;

/** What a cache is called in logs, metrics and the graph: its address without the query, which may have a token. */
export function cacheName(url: string): string {
  const { host, pathname } = new URL(url);
  return pathname === '/' ? host : host + pathname;
}

interface PurgeRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

interface PurgeSettings {
  readonly purge: 'varnish' | 'http' | undefined;
  /** Of `varnish`. */
  readonly secret?: string | undefined;
  /** Of `http`, with `{tags}` or `{tagsJson}` in a header or the body. */
  readonly request?: PurgeRequest | undefined;
}

/** As Varnish with deploy/edge/varnish.vcl understands it. */
const varnish = (secret: string | undefined): PurgeRequest => ({
  method: 'PURGE',
  headers: { 'x-purge-tag': '{tags}', ...(secret !== undefined && { 'x-purge-secret': secret }) },
});

const timeoutMs = 5_000;
/** In one request: Cloudflare takes no more, and Varnish compares one. */
const maxTags = { varnish: 1, http: 30 };

/** Creates the function that purges by the template of the settings; undefined if no cache is purged. */
export function createPurge({ purge: kind, secret, request }: PurgeSettings): Purge | undefined {
  if (!kind) return undefined;
  const { method, headers, body } = request ?? varnish(secret);
  return async (url, tags, signal) => {
    for (let start = 0; start < tags.length; start += maxTags[kind]) {
      const batch = tags.slice(start, start + maxTags[kind]);
      const fill = (text: string) =>
        text.replaceAll('{tags}', batch.join(' ')).replaceAll('{tagsJson}', JSON.stringify(batch));
      const response = await fetch(url, {
        method,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
        ...(body !== undefined && { body: fill(body) }),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`the response has status ${response.status}`);
    }
  };
}
