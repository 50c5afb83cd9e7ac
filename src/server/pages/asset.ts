import { chooseEncoding, compress, type Encoding } from '@carte/operations/http/compression';
import { contentHash, matchIfNoneMatch } from '@carte/operations/http/etag';
import { addVary } from '@carte/operations/http/vary';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A static file in memory, compressed once per encoding on first use. */
export interface Asset {
  readonly type: string;
  /** Of the content; safe in a file name. */
  readonly hash: string;
  readonly bytes: Buffer;
  encoded(encoding: Encoding): Promise<Buffer>;
}

/** The Cache-Control of assets with a content hash in their URL. */
export const immutable = 'public, max-age=31536000, immutable';

export function createAsset(type: string, content: string | Buffer): Asset {
  const bytes = Buffer.from(content);
  const compressed = new Map<Encoding, Promise<Buffer>>();
  return {
    type,
    hash: contentHash(bytes),
    bytes,
    encoded(encoding) {
      const pending = compressed.get(encoding) ?? compress(bytes, encoding, 'kept');
      compressed.set(encoding, pending);
      pending.catch(() => compressed.delete(encoding));
      return pending;
    },
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

export const lazyAsset = (type: string, read: () => string | Buffer): (() => Asset) =>
  once(() => createAsset(type, read()));

/** Sends an asset in the negotiated encoding, or 304. */
export async function sendAsset(
  asset: Asset,
  request: FastifyRequest,
  reply: FastifyReply,
  cacheControl = 'no-cache',
): Promise<FastifyReply> {
  const etag = `"${asset.hash}"`;
  addVary(reply, 'accept-encoding').headers({
    'content-type': asset.type,
    'cache-control': cacheControl,
    // Weak, because all encodings share it.
    etag: `W/${etag}`,
  });
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch !== undefined && matchIfNoneMatch(etag, ifNoneMatch) !== undefined) return reply.code(304).send();
  const encoding = chooseEncoding(request.headers['accept-encoding'], asset.bytes.length);
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

export interface Page {
  readonly page: Asset;
  /** Its Content-Security-Policy. */
  readonly policy: string;
}

/** Sends a page under its policy, without a referrer for the links on it. */
export function sendPage({ page, policy }: Page, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' });
  return sendAsset(page, request, reply);
}
