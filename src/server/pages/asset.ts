import { chooseEncoding, compress, type Encoding } from '@carte/operations/http/compression';
import { contentHash, matchIfNoneMatch } from '@carte/operations/http/etag';
import { addVary } from '@carte/operations/http/vary';
import type { FastifyReply } from 'fastify';

export type Asset = ReturnType<typeof createAsset>;

/** The Cache-Control of assets with a content hash in their URL. */
export const immutable = 'public, max-age=31536000, immutable';

/** Creates a static file in memory, compressed once per encoding on first use unless it is already, as `brotli`. */
export function createAsset(type: string, content: string | Buffer, brotli?: Buffer) {
  const bytes = Buffer.from(content);
  return {
    type,
    /** Safe in a file name. */
    hash: contentHash(bytes),
    bytes,
    encoded: onceFor(async (encoding: Encoding) =>
      encoding === 'br' && brotli ? brotli : compress(bytes, encoding, 'kept'),
    ),
  };
}

/** Returns a function that creates a value when it is first called. */
export function once<T>(create: () => T): () => T {
  let value: { readonly created: T } | undefined;
  return () => {
    value ??= { created: create() };
    return value.created;
  };
}

/** Returns a function that creates the value of a key when it is first called with it; what could not be created is tried again. */
export function onceFor<Key, Value>(create: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const values = new Map<Key, Promise<Value>>();
  return key => {
    const value = values.get(key) ?? create(key);
    values.set(key, value);
    value.catch(() => values.delete(key));
    return value;
  };
}

export const lazyAsset = (type: string, read: () => string | Buffer): (() => Asset) =>
  once(() => createAsset(type, read()));

/** Sends an asset in the negotiated encoding, or 304. */
export async function sendAsset(asset: Asset, reply: FastifyReply, cacheControl = 'no-cache'): Promise<FastifyReply> {
  const { headers } = reply.request;
  const etag = `"${asset.hash}"`;
  addVary(reply, 'accept-encoding').headers({
    'content-type': asset.type,
    'cache-control': cacheControl,
    // Weak, because all encodings share it.
    etag: `W/${etag}`,
  });
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined && matchIfNoneMatch(etag, ifNoneMatch) !== undefined) return reply.code(304).send();
  // Fonts are compressed already.
  const isCompressed = asset.type === 'font/woff2';
  const encoding = isCompressed ? undefined : chooseEncoding(headers['accept-encoding'], asset.bytes.length);
  if (!encoding) return reply.send(asset.bytes);
  return reply.header('content-encoding', encoding).send(await asset.encoded(encoding));
}

/** A policy by which a page loads and calls this server only, and runs nothing inline; `directives` adds to it. */
export function contentSecurityPolicy(directives: Readonly<Record<string, string>> = {}): string {
  const all = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self'",
    'font-src': "'self'",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...directives,
  };
  return Object.entries(all)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}

export const defaultPolicy = contentSecurityPolicy();

/** Sends a page under its Content-Security-Policy, without a referrer for the links on it. */
export function sendPage(page: Asset, reply: FastifyReply, policy = defaultPolicy): Promise<FastifyReply> {
  reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' });
  return sendAsset(page, reply);
}
