import { expectedRevision, matchIfNoneMatch, revisionETag } from '@carte/operations/http/etag';
import { describe, expect, test } from 'vitest';

const etag = revisionETag([7], '0123abcd');

describe('If-None-Match', () => {
  test.each([
    ['"7-0123abcd"', etag],
    ['W/"7-0123abcd"', etag],
    ['"a", W/"b,c" , "7-0123abcd"', etag],
    ['"7-0123abcd.br"', '"7-0123abcd.br"'],
    ['*', etag],
    [' * ', etag],
    ['"6-0123abcd"', undefined],
    ['7-0123abcd', undefined],
    ['"*"', undefined],
    ['', undefined],
  ])('%s: the ETag of the 304 is %s', (header, expected) => {
    expect(matchIfNoneMatch(etag, header)).toBe(expected);
  });
});

describe('If-Match', () => {
  const hashes = new Set(['0123abcd', '4567ef00']);

  test.each([
    [undefined, undefined],
    ['*', undefined],
    ['"7-0123abcd"', '7'],
    ['"7-4567ef00"', '7'],
    ['"5-0123abcd", "7-4567ef00", "x"', '7'],
    ['"9007199254740992-0123abcd", "7-4567ef00"', '7'],
  ])('%s expects revision %s', (header, revision) => {
    expect(expectedRevision(header, hashes)).toBe(revision);
  });

  test.each(['"7-ffffffff"', 'W/"7-0123abcd"', '7', '""', '', '"7-0123abcd-extra"'])('%s matches no ETag', header => {
    expect(() => expectedRevision(header, hashes)).toThrow('If-Match names no ETag that this resource has had.');
  });
});
