import { describe, expect, test } from 'vitest';
import { etagOf, expectedRevision, matchesIfNoneMatch } from '../../src/rest/etag.ts';

const tag = etagOf([7], '0123abcd');

describe('If-None-Match', () => {
  test.each([
    ['"7-0123abcd"', true],
    ['W/"7-0123abcd"', true],
    ['"a", W/"b,c" , "7-0123abcd"', true],
    ['*', true],
    [' * ', true],
    ['"6-0123abcd"', false],
    ['7-0123abcd', false],
    ['"*"', false],
    ['', false],
  ])('%s names the tag: %s', (header, named) => {
    expect(matchesIfNoneMatch(tag, header)).toBe(named);
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
