import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp({ rateLimit: 3 });
const listStores = (key: string) => app.get('/v1/stores/', { 'x-api-key': key });

describe('CARTE_RATE_LIMIT', () => {
  test('counts each key by itself, reports what remains, and responds 429 with Retry-After beyond', async () => {
    const [one, other] = [await app.newKey(), await app.newKey()];
    const remaining: (string | null)[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const { status, headers } = await listStores(one);
      expect(status).toBe(200);
      expect(headers.get('ratelimit-limit')).toBe('3');
      expect(headers.get('ratelimit-policy')).toBe('3;w=60');
      remaining.push(headers.get('ratelimit-remaining'));
    }
    expect(remaining).toEqual(['2', '1', '0']);
    const { status, headers, body } = await listStores(one);
    expect(status).toBe(429);
    expect(body).toEqual({ detail: 'This API key may make 3 requests a minute.' });
    expect(headers.get('ratelimit-policy')).toBe('3;w=60');
    expect(headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
    expect((await listStores(other)).status).toBe(200);
  });

  test('counts requests to /v1 and /graphql together', async () => {
    const key = await app.newKey();
    await listStores(key);
    const { headers } = await app.graphql('{ stores { nodes { id } } }', {}, { 'x-api-key': key });
    expect(headers.get('ratelimit-remaining')).toBe('1');
  });

  test('allows requests again a minute after the first one', async () => {
    const key = await app.newKey();
    const begun = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: begun });
    onTestFinished(() => void vi.useRealTimers());
    for (let turn = 0; turn < 4; turn++) await listStores(key);
    vi.setSystemTime(begun + 59_999);
    const { status, headers } = await listStores(key);
    expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    vi.setSystemTime(begun + 60_000);
    expect((await listStores(key)).headers.get('ratelimit-remaining')).toBe('2');
  });

  test('does not count requests without a valid key', async () => {
    for (let turn = 0; turn < 5; turn++) {
      expect((await app.get('/health/live')).status).toBe(200);
      expect((await listStores('carte_unknown')).status).toBe(401);
    }
  });

  test('is off by default', async () => {
    const { headers } = await (await startApp()).get('/v1/stores/');
    expect(headers.get('ratelimit-limit')).toBeNull();
  });
});
