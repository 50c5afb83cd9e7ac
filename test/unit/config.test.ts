import { expect, test } from 'vitest';
import { readConfig, warningsOf } from '../../src/config.ts';

test('an empty variable counts as unset', () => {
  const empty = readConfig({ PORT: '', HOST: '', CARTE_DEMO: '', CARTE_TRUSTED_DOCUMENTS: '', DATABASE_URL: '' });
  expect(empty).toEqual(readConfig({}));
});

test('every invalid variable is reported at once, with its value and rule', () => {
  const env = {
    PORT: '65536',
    CARTE_PROCESSES: '1.5',
    DATABASE_REPLICA_URLS: 'postgresql://replica/carte',
    CARTE_LOG_LEVEL: 'loud',
    CARTE_CORS_ORIGINS: '*, shop.example',
    CARTE_WEBHOOK_ALLOW_NETWORKS: '10.0.0.0/8, 10.0.0.1',
    CARTE_GUEST_ORDER_CHECK: 'https://carte:secret@shop.example/check',
  };
  expect(() => readConfig(env)).toThrow(
    [
      'Bad configuration:',
      '  PORT is "65536"; it must be a whole number from 0 to 65535',
      '  CARTE_PROCESSES is "1.5"; it must be a whole number from 1 to 256',
      '  CARTE_LOG_LEVEL is "loud"; it must be one of silent, error, warn, info, debug',
      '  CARTE_CORS_ORIGINS has "shop.example"; an origin is * or such as https://shop.example',
      '  CARTE_GUEST_ORDER_CHECK is not a URL without user and password, such as https://shop.example/check-order',
      '  CARTE_WEBHOOK_ALLOW_NETWORKS has "10.0.0.1"; a network is such as 10.20.0.0/16, a single address 10.20.0.5/32',
      '  DATABASE_REPLICA_URLS is set, but DATABASE_URL is not',
      '  CARTE_GUEST_ORDER_CHECK is set, but CARTE_GUEST_ORDER_CHECK_SECRET is not',
    ].join('\n'),
  );
});

test('CARTE_KEY_SECONDS, the old name of CARTE_KEY_CACHE_TTL_SECONDS, is accepted', () => {
  expect(readConfig({ CARTE_KEY_SECONDS: '1' }).keyCacheTtlSeconds).toBe(1);
  const both = { CARTE_KEY_SECONDS: '1', CARTE_KEY_CACHE_TTL_SECONDS: '2' };
  expect(readConfig(both).keyCacheTtlSeconds).toBe(2);
});

test('what is wrong with purges of caches is reported at once, without the request, which may have a token', () => {
  const errorsOf = (env: Record<string, string>) => () => readConfig({ CARTE_EDGE_PURGE: 'http', ...env });
  expect(errorsOf({})).toThrow(
    /CARTE_EDGE_PURGE is set, but CARTE_EDGE_PURGE_URLS is not\n +CARTE_EDGE_PURGE_REQUEST and CARTE_EDGE_PURGE=http need/,
  );
  const bad = '{"method":"post","header":{"token":"secret"}}';
  const given = { CARTE_EDGE_PURGE_URLS: 'varnish-1', CARTE_EDGE_PURGE_REQUEST: bad };
  expect(errorsOf(given)).toThrow(/PURGE_URLS is not a URL.*\n.*: method: (?!.*secret).*\n.*"header"/);
  const without = { CARTE_EDGE_PURGE_URLS: 'http://a', CARTE_EDGE_PURGE_REQUEST: '{"body":"purge"}' };
  expect(errorsOf(without)).toThrow('neither a header nor the body has {tags} or {tagsJson}');
  const { method, headers } =
    readConfig({
      ...{ CARTE_EDGE_PURGE: 'http', CARTE_EDGE_PURGE_URLS: 'http://a' },
      CARTE_EDGE_PURGE_REQUEST: '{"body":"{tags}"}',
    }).edge.request ?? {};
  expect([method, headers]).toEqual(['POST', {}]);
});

test('caches that are probably meant to be purged, and are not, are warnings', () => {
  expect(warningsOf(readConfig({}))).toEqual([]);
  expect(warningsOf(readConfig({ CARTE_EDGE_PURGE_URLS: 'http://a', CARTE_EDGE_SECONDS: '86400' }))).toEqual([
    'CARTE_EDGE_PURGE_URLS is set, but CARTE_EDGE_PURGE is not: no cache is purged',
    expect.stringMatching(/^CARTE_EDGE_SECONDS is 86400 without CARTE_EDGE_PURGE/),
  ]);
});

test('the secret of purges is checked without being repeated, and its absence is a warning', () => {
  const varnish = { CARTE_EDGE_PURGE: 'varnish', CARTE_EDGE_PURGE_URLS: 'http://a' };
  const secret = 'c2VjcmV0IG9mIHB1cmdlcyBvZiBWYXJuaXNo';
  expect(warningsOf(readConfig(varnish))).toEqual([expect.stringContaining('CARTE_EDGE_PURGE_SECRET is not set')]);
  expect(warningsOf(readConfig({ ...varnish, CARTE_EDGE_PURGE_SECRET: secret }))).toEqual([]);
  expect(() => readConfig({ ...varnish, CARTE_EDGE_PURGE_SECRET: 'short secret' })).toThrow(
    /^Bad configuration:\n {2}CARTE_EDGE_PURGE_SECRET is not 24 to 200 characters (?!.*short secret)/,
  );
  expect(() => readConfig({ CARTE_EDGE_PURGE_SECRET: secret })).toThrow('is for CARTE_EDGE_PURGE=varnish');
  // fetch would repeat the value of such a header in its error.
  const request = JSON.stringify({ headers: { token: 'secret\n', tags: '{tags}' } });
  expect(() =>
    readConfig({ CARTE_EDGE_PURGE: 'http', CARTE_EDGE_PURGE_URLS: 'http://a', CARTE_EDGE_PURGE_REQUEST: request }),
  ).toThrow(/headers\.token: (?!.*secret\n)/);
});
