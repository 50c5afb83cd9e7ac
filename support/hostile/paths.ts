import type { MakeProbe } from './probe.ts';

export const pathProbe: MakeProbe = (random, target) => {
  const path = random.pick([
    '/v1/../v1/stores/',
    '/v1/%2e%2e/%2e%2e/etc/passwd',
    '/v1/stores/%2e%2e%2fmerchants%2f',
    '/v1/stores/..;/',
    '/v1/stores//',
    '//v1/stores/',
    '/v1//stores/',
    '/V1/STORES/',
    '/v1/stores/%00',
    '/v1/stores/a%2fb',
    '/v1/stores/a\\b',
    '/v1/stores/%',
    '/v1/stores/%zz',
    '/v1/stores/%ff',
    `/v1/stores/${'a/'.repeat(2000)}`,
    `/v1/stores/${'x'.repeat(7000)}`,
    '/v1',
    '/v1/',
    '/v1/webhook',
    '/webhook',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/%2e%2e%2fpackage.json',
    '/openapi.json/',
    '/health/live/..',
    '/.git/config',
    '/graphql/',
    '/?',
    '/v1/stores/?'.repeat(50),
  ]);
  return {
    what: 'path trick',
    method: random.chance(0.9) ? 'GET' : 'POST',
    path,
    headers: { 'x-api-key': target.keys.read },
  };
};
