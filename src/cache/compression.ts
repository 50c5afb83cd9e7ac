import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';

export type Encoding = 'br' | 'zstd' | 'gzip';

/** Best compression first. */
const encodings: readonly Encoding[] = ['br', 'zstd', 'gzip'];

/** In bytes; shorter bodies hardly shrink. */
const minLength = 1024;

/** Negotiates the content coding from Accept-Encoding; undefined for identity. */
export function chooseEncoding(acceptEncoding: string | undefined, length: number): Encoding | undefined {
  if (!acceptEncoding || length < minLength) return undefined;
  const accepted = new Set<string>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map(word => word.trim());
    const isExcluded = parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter));
    if (!isExcluded) accepted.add(name === 'x-gzip' ? 'gzip' : name);
  }
  return encodings.find(encoding => accepted.has(encoding));
}

/** Compresses in the thread pool. */
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
