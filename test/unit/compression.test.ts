import { chooseEncoding } from '@carte/operations/http/compression';
import { expect, test } from 'vitest';

const long = 100_000;
const short = 100;

test.each([
  // The highest weight wins; of equal ones the best compression.
  ['gzip, br', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0.1, gzip;q=0.8, zstd;q=0.9', 'zstd'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.000, gzip;q=0.001', 'gzip'],
  ['gzip ; q=0.5 , br ; q=0.4', 'gzip'],
  ['GZIP;Q=0.5, BR;Q=0.4', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate, compress', undefined],
  // Without a coding unless it is preferred.
  ['identity', undefined],
  ['identity, gzip', 'gzip'],
  ['identity;q=0.5, gzip;q=1.0', 'gzip'],
  ['identity;q=1, gzip;q=0.5', undefined],
  ['gzip;q=0.5', 'gzip'],
  // `*` is for what is not listed.
  ['*', 'br'],
  ['*;q=0', undefined],
  ['gzip, *;q=0', 'gzip'],
  ['br;q=0, *', 'zstd'],
  ['gzip;q=0.5, *;q=0.8', 'br'],
  ['*;q=0.5, identity', undefined],
  // At the same weight, what the client names is surer than what it allows.
  ['gzip, *', 'gzip'],
  // Nothing is acceptable: without a coding, which every client reads.
  ['identity;q=0', undefined],
  ['', undefined],
  [undefined, undefined],
])('Accept-Encoding: %s is %s', (header, encoding) => {
  expect(chooseEncoding(header, long)).toBe(encoding);
});

test('a short body is not compressed, unless the client refuses it otherwise', () => {
  expect(chooseEncoding('gzip, br', short)).toBeUndefined();
  expect(chooseEncoding('gzip, identity;q=0', short)).toBe('gzip');
  expect(chooseEncoding('gzip, *;q=0', short)).toBe('gzip');
});
