import { hash } from 'node:crypto';
import { Conflict } from '@carte/base/errors';
import type { Encoding } from './compression.ts';

/** The strong ETag of a body that depends only on these revisions and on the text of its operation. */
export function revisionETag(revisions: readonly unknown[], operationHash: string): string {
  return `"${revisions.join('.')}-${operationHash}"`;
}

/** The strong ETag of a body without a revision. */
export function contentETag(body: Buffer): string {
  return `"${contentHash(body)}"`;
}

export function contentHash(content: Buffer): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

/** A compressed representation has other bytes, so its strong ETag is another one. */
export function encodedETag(etag: string, encoding: Encoding | undefined): string {
  return encoding ? `${etag.slice(0, -1)}.${encoding}"` : etag;
}

const withoutEncoding = (etag: string) => etag.replace(/\.(?:br|zstd|gzip)"$/, '"');

/** Whether If-Match or If-None-Match is `*`. */
export const isWildcard = (header: string): boolean => header.trim() === '*';

/**
 * The ETag in If-None-Match that names this one or any of its encodings, or the given one for `*`; undefined where none matches. Weak
 * ETags match strong ones (RFC 9110, 13.1.2).
 */
export function matchIfNoneMatch(etag: string, ifNoneMatch: string): string | undefined {
  if (ifNoneMatch === etag) return etag;
  for (const [candidate] of ifNoneMatch.matchAll(/"[^"]*"/g)) if (withoutEncoding(candidate) === etag) return candidate;
  return isWildcard(ifNoneMatch) ? etag : undefined;
}

/** Of an If-Match that no response can have had as its ETag. */
export const unknownETag = (): Conflict => new Conflict('If-Match names no ETag that this resource has had.');

/** After the revision there may be values of dependencies, and a hash of the body. */
const revisionPattern = /^"(\d{1,16})(?:\.[^"]*)?-([0-9a-f]{8})"$/;

/** The revision that If-Match expects of an operation with one of these hashes; undefined without a condition, as for `*`. */
export function expectedRevision(ifMatch: string | undefined, hashes: ReadonlySet<string>): string | undefined {
  if (ifMatch === undefined || isWildcard(ifMatch)) return undefined;
  const revisions = ifMatch.split(',').flatMap(etag => {
    const [, revision = '', operationHash = ''] = revisionPattern.exec(withoutEncoding(etag.trim())) ?? [];
    return hashes.has(operationHash) && Number.isSafeInteger(Number(revision)) ? [Number(revision)] : [];
  });
  if (revisions.length === 0) throw unknownETag();
  // Revisions only grow, so only the latest of several can still be current.
  return String(Math.max(...revisions));
}
