import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import type { CachedResponse } from './response-cache.ts';

export type Encoding = 'br' | 'zstd' | 'gzip';

/** Best compression first. */
const encodings: readonly Encoding[] = ['br', 'zstd', 'gzip'];

/** In bytes; shorter bodies hardly shrink. */
const minLength = 1024;

/** Negotiates the content coding from Accept-Encoding, by its weights (RFC 9110, 12.5.3); undefined for identity. */
export function chooseEncoding(acceptEncoding: string | undefined, length: number): Encoding | undefined {
  if (!acceptEncoding) return undefined;
  const weights = parseWeights(acceptEncoding);
  const others = weights.get('*');
  let best: Encoding | undefined;
  // What is not listed is acceptable without a coding, but the least preferred.
  let bestWeight = weights.get('identity') ?? (others === 0 ? 0 : Number.MIN_VALUE);
  if (length < minLength && bestWeight > 0) return undefined;
  let isListed = false;
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? others ?? 0;
    // At the same weight a coding is better than none, and one that the client names better than one that it allows by `*`.
    const isBetter = best ? !isListed && weights.has(encoding) : true;
    if (weight === 0 || weight < bestWeight || (weight === bestWeight && !isBetter)) continue;
    [best, bestWeight, isListed] = [encoding, weight, weights.has(encoding)];
  }
  return best;
}

/** The weights by coding; one that is no number is 1. */
function parseWeights(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map(word => word.trim());
    const weight = Number(parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? 1);
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number.isNaN(weight) ? 1 : weight);
  }
  return weights;
}

/** Levels for what is kept and sent again, and for what is sent once: a fifth of the time for a fifth more bytes. */
const levels = { kept: { br: 5, zstd: 6, gzip: 6 }, sent: { br: 1, zstd: 1, gzip: 1 } };

/** In bytes; a larger body takes a thread for so long that it needs the turn of its caller. */
const minExpensiveLength = 256 * 1024;

/** Compresses a large body by `run`, so that no caller takes all threads from others. */
export const compressInTurn = (
  { length }: Buffer,
  run: <T>(task: () => Promise<T>) => Promise<T>,
  task: () => Promise<Buffer>,
): Promise<Buffer> => (length < minExpensiveLength ? task() : run(task));

/** A body that is sent once. */
export const compressible = (bytes: Buffer): Pick<CachedResponse, 'bytes' | 'encoded'> => ({
  bytes,
  encoded: (encoding, run) => compressInTurn(bytes, run, () => compress(bytes, encoding, 'sent')),
});

/** Compresses in the thread pool. */
export async function compress(bytes: Buffer, encoding: Encoding, use: keyof typeof levels): Promise<Buffer> {
  const level = levels[use][encoding];
  switch (encoding) {
    case 'br':
      return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } });
    case 'zstd':
      return promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } });
    case 'gzip':
      return promisify(gzip)(bytes, { level });
  }
}
