import { describe, expect, test } from 'vitest';
import { TooManyRequests } from '../../src/errors.ts';
import { createRateLimit } from '../../src/server/rate-limit.ts';
import { startApp } from '../support/app.ts';

const app = await startApp({ rateLimit: 3 });

describe('Rate limit', () => {
  test('counts each key by itself, says what is left, and answers 429 with Retry-After beyond', async () => {
    const [one, other] = [await app.newKey(), await app.newKey()];
    const ask = (key: string) => app.get('/v1/stores/', { 'x-api-key': key });
    const left: (string | null)[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const { status, headers } = await ask(one);
      expect(status).toBe(200);
      expect(headers.get('ratelimit-limit')).toBe('3');
      expect(headers.get('ratelimit-policy')).toBe('3;w=60');
      left.push(headers.get('ratelimit-remaining'));
    }
    expect(left).toEqual(['2', '1', '0']);
    const { status, headers, body } = await ask(one);
    expect(status).toBe(429);
    expect(body).toEqual({ detail: 'This API key may make 3 requests a minute.' });
    expect(headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
    expect((await ask(other)).status).toBe(200);
  });

  test('leaves alone what needs no key', async () => {
    for (let turn = 0; turn < 5; turn++) {
      expect((await app.get('/health/live')).status).toBe(200);
      expect((await app.get('/v1/stores/', { 'x-api-key': 'carte_unknown' })).status).toBe(401);
    }
  });

  test('is off unless it is set', async () => {
    const { headers } = await (await startApp()).get('/v1/stores/');
    expect(headers.get('ratelimit-limit')).toBeNull();
  });
});

test('A minute after its first request, a key may go on', () => {
  let now = 0;
  const limit = createRateLimit(1, () => now);
  const left: string[] = [];
  const take = () => limit.take('key', headers => left.push(headers['ratelimit-remaining'] ?? ''));
  take();
  now = 59_999;
  expect(take).toThrow(TooManyRequests);
  now = 60_000;
  take();
  expect(left).toEqual(['0', '0', '0']);
});
