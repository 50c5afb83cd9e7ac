import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';

export type Encoding = 'br' | 'zstd' | 'gzip';

/** Best first. */
const encodings: readonly Encoding[] = ['br', 'zstd', 'gzip'];

/** Shorter ones hardly shrink. */
const worthCompressing = 1024;

/** The best encoding that Accept-Encoding allows; undefined for the plain form. */
export function chooseEncoding(accepted: string | undefined, length: number): Encoding | undefined {
  if (!accepted || length < worthCompressing) return undefined;
  const allowed = new Set<string>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map(word => word.trim());
    const refused = parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter));
    if (!refused) allowed.add(name === 'x-gzip' ? 'gzip' : name);
  }
  return encodings.find(encoding => allowed.has(encoding));
}

/** Compresses in a thread beside the event loop. */
export async function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  switch (encoding) {
    case 'br':
      return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    case 'zstd':
      return promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 6 } });
    case 'gzip':
      return promisify(gzip)(bytes, { level: 6 });
  }
}
