import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, compress, type Encoding } from './compression.ts';
import { isAnyTag, namedTag } from './conditional.ts';

/** Something that stays as it is while the program runs, with its compressed forms as they are first asked for. */
export interface Asset {
  readonly type: string;
  /** Tells this content from any other; it can be part of a file's name. */
  readonly hash: string;
  readonly bytes: Buffer;
  encoded(encoding: Encoding): Promise<Buffer>;
}

/** For what has its hash in its name. */
export const forever = 'public, max-age=31536000, immutable';

export function createAsset(type: string, content: string | Buffer): Asset {
  const bytes = Buffer.from(content);
  const forms = new Map<Encoding, Promise<Buffer>>();
  return {
    type,
    hash: hash('sha256', bytes, 'base64url').slice(0, 22),
    bytes,
    encoded(encoding) {
      const form = forms.get(encoding) ?? compress(bytes, encoding);
      forms.set(encoding, form);
      form.catch(() => forms.delete(encoding));
      return form;
    },
  };
}

/** Sends the form of an asset that suits the caller, or word that the caller has it already. */
export async function sendAsset(
  asset: Asset,
  request: FastifyRequest,
  reply: FastifyReply,
  cacheControl = 'no-cache',
): Promise<FastifyReply> {
  reply.headers({
    'content-type': asset.type,
    'x-content-type-options': 'nosniff',
    'cache-control': cacheControl,
    vary: 'accept-encoding',
    // Weak, because all forms have the same tag.
    etag: `W/"${asset.hash}"`,
  });
  const ifNoneMatch = request.headers['if-none-match'];
  const isKnown = (tag: string) => tag === `"${asset.hash}"`;
  if (ifNoneMatch !== undefined && (isAnyTag(ifNoneMatch) || namedTag(ifNoneMatch, isKnown))) {
    return reply.code(304).send();
  }
  const encoding = chooseEncoding(request.headers['accept-encoding'], asset.bytes.length);
  if (!encoding) return reply.send(asset.bytes);
  return reply.header('content-encoding', encoding).send(await asset.encoded(encoding));
}
