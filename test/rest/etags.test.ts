import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const app = await startApp();

describe('ETag', async () => {
  const store = await app.data.store();
  await app.data.menu(store);
  const [order] = await app.data.orders(store, 1);
  const paths = [
    `/v1/stores/${store.id}/menu_configuration/`,
    `/v1/stores/${store.id}/menu_configuration/flat`,
    `/v1/stores/${store.id}/orders/?page_size=1`,
    `/v1/orders/${order?.id}`,
    `/v1/stores/${store.id}`,
    `/v1/stores/?limit=1`,
    `/v1/merchants/?limit=1`,
    `/v1/merchants/${store.merchant}`,
  ];

  test.each(paths)('%s has a strong tag, and 304 for whoever has it', async path => {
    const { headers } = await app.get(path);
    const tag = headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]+"$/);
    for (const condition of [tag, `"other", W/${tag}`, '*']) {
      const again = await app.get(path, { 'if-none-match': condition });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    }
    expect((await app.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('it changes with the menu', async () => {
    const path = paths[0] ?? '';
    const before = await app.get(path);
    await app.post(path, { items: [] });
    const after = await app.get(path, { 'if-none-match': before.headers.get('etag') ?? '' });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  test('it changes with the orders', async () => {
    const path = paths[2] ?? '';
    const before = await app.get(path);
    await app.data.orders(store, 1);
    const after = await app.get(path, { 'if-none-match': before.headers.get('etag') ?? '' });
    expect(after.status).toBe(200);
    expect(after.body.count).toBe(before.body.count + 1);
  });

  test('an unchanged list is told without being read', async () => {
    const path = paths[2] ?? '';
    const { headers } = await app.get(path);
    const whole = await app.statements.during(() => app.get(path));
    const probed = await app.statements.during(() => app.get(path, { 'if-none-match': headers.get('etag') ?? '' }));
    expect(probed.statements.length).toBeLessThan(whole.statements.length);
  });

  test('answers are for the bearer of the key alone', async () => {
    const { headers } = await app.get(`/v1/stores/${store.id}`);
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });
});
