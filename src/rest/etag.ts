import { hash } from 'node:crypto';
import type { Encoding } from '../cache/compression.ts';
import { isAnyTag, namedTag } from '../cache/conditional.ts';
import { Problem } from './errors.ts';

/** The strong tag of a body that depends on nothing but these values and the text of its operation. */
export function etagOf(values: readonly unknown[], operationHash: string): string {
  return `"${values.join('.')}-${operationHash}"`;
}

/** Strong tags tell bytes apart, so a compressed form has a tag of its own. */
export function etagOfEncoding(tag: string, encoding: Encoding | undefined): string {
  return encoding ? `${tag.slice(0, -1)}.${encoding}"` : tag;
}

const plainTag = (tag: string) => tag.replace(/\.(?:br|zstd|gzip)"$/, '"');

/** The strong tag of a body that says nothing about its revision. */
export function etagOfBody(body: Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

/**
 * The ETag of a 304: that of the 200 which the caller has, where If-None-Match names the body in any of its encodings; undefined
 * where it does not.
 */
export function notModifiedEtag(etag: string, ifNoneMatch: string): string | undefined {
  return namedTag(ifNoneMatch, candidate => plainTag(candidate) === etag) ?? (isAnyTag(ifNoneMatch) ? etag : undefined);
}

const issued = /^"(\d{1,15})-([0-9a-f]{8})"$/;

/** The revision that If-Match expects; undefined where it expects none, which is also what `*` says. */
export function expectedRevision(ifMatch: string | undefined, hashes: ReadonlySet<string>): string | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const revisions = ifMatch.split(',').flatMap(tag => {
    const [, revision = '', operationHash = ''] = issued.exec(plainTag(tag.trim())) ?? [];
    return hashes.has(operationHash) ? [Number(revision)] : [];
  });
  if (revisions.length === 0) throw new Problem(412, 'If-Match names no tag that this resource has had.');
  // Revisions only grow: of several that the caller has seen, only the latest can still hold.
  return String(Math.max(...revisions));
}
