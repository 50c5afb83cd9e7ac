/** A request that a crawl sends with each kind of key. */
export interface CrawledRequest {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CrawlOptions {
  /** The service, and a cache in front of it. */
  readonly origin: string;
  readonly cache: string;
  readonly requests: readonly CrawledRequest[];
  /** By a name; the kinds of keys are all sent in a header, in the URL, and secret ones beside a publishable one in the URL. */
  readonly secret: Readonly<Record<string, string>>;
  readonly publishable: Readonly<Record<string, string>>;
}

interface Sent {
  readonly kind: string;
  readonly isSecret: boolean;
  readonly header?: string;
  readonly inUrl?: string;
}

async function send(base: string, { path, method = 'GET', body, headers }: CrawledRequest, { header, inUrl }: Sent) {
  const url = `${base}${path}${inUrl === undefined ? '' : `${path.includes('?') ? '&' : '?'}key=${inUrl}`}`;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(header !== undefined && { 'x-api-key': header }) },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(20_000),
  });
  // They differ each time.
  const text = (await response.text()).replaceAll(/"(?:requestId|next)":"[^"]*"/g, '');
  return { status: response.status, text, isHit: response.headers.get('x-cache') === 'hit' };
}

/**
 * Sends each request with each kind of key through a cache, twice, the kinds in either order, and compares each response with that of the service itself: a response
 * of another key would differ. Returns what must not be, and how many requests were compared and were found in the cache.
 */
export async function crawl({ origin, cache, requests, secret, publishable }: CrawlOptions) {
  const [[, anyPublishable = ''] = []] = Object.entries(publishable);
  const kinds: Sent[] = [
    { kind: 'none', isSecret: false },
    ...Object.entries(secret).flatMap(([name, key]): Sent[] => [
      { kind: name, isSecret: true, header: key },
      { kind: `${name} in the URL`, isSecret: true, inUrl: key },
      { kind: `${name} beside one in the URL`, isSecret: true, header: key, inUrl: anyPublishable },
    ]),
    ...Object.entries(publishable).flatMap(([name, key]): Sent[] => [
      { kind: `${name} in the header`, isSecret: false, header: key },
      { kind: name, isSecret: false, inUrl: key },
    ]),
  ];
  const violations: string[] = [];
  let [compared, hits] = [0, 0];
  for (const request of requests) {
    // Twice: the service responds to a query that it compiles with another ETag, not with another body.
    const expected = new Map<Sent, Awaited<ReturnType<typeof send>>>();
    for (const kind of kinds) expected.set(kind, await send(origin, request, kind));
    for (const kind of [...kinds, ...kinds, ...kinds.toReversed()]) {
      const { status, text } = expected.get(kind) ?? { status: 0, text: '' };
      const found = await send(cache, request, kind);
      compared += 1;
      if (found.isHit) hits += 1;
      const name = `${request.method ?? 'GET'} ${request.path.slice(0, 80)} with ${kind.kind}`;
      if (found.status !== status || found.text !== text)
        violations.push(`${name}: another response than without the cache`);
      if (found.isHit && (kind.isSecret || kind.inUrl === undefined)) violations.push(`${name}: was stored`);
    }
  }
  return { violations, compared, hits };
}
