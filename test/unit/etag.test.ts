import { describe, expect, test } from 'vitest';
import { etagOf, expectedRevision, notModifiedEtag } from '../../src/rest/etag.ts';

const tag = etagOf([7], '0123abcd');

describe('If-None-Match', () => {
  test.each([
    ['"7-0123abcd"', tag],
    ['W/"7-0123abcd"', tag],
    ['"a", W/"b,c" , "7-0123abcd"', tag],
    ['"7-0123abcd.br"', '"7-0123abcd.br"'],
    ['*', tag],
    [' * ', tag],
    ['"6-0123abcd"', undefined],
    ['7-0123abcd', undefined],
    ['"*"', undefined],
    ['', undefined],
  ])('%s: the ETag of the 304 is %s', (header, etag) => {
    expect(notModifiedEtag(tag, header)).toBe(etag);
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
  ])('%s expects revision %s', (header, revision) => {
    expect(expectedRevision(header, hashes)).toBe(revision);
  });

  test.each(['"7-ffffffff"', 'W/"7-0123abcd"', '7', '""', '', '"7-0123abcd-extra"'])('%s is no tag of ours', header => {
    expect(() => expectedRevision(header, hashes)).toThrow('If-Match names no tag that this resource has had.');
  });
});
