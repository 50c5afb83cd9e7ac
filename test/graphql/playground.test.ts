import { describe, expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { renderPlayground } from '../../src/graphql/playground.ts';
import { examples, placeholders } from '../../src/graphql/playground-examples.ts';
import { startApp } from '../support/app.ts';

const app = await startApp();
await loadDemo(app.orm);

describe('the examples of the playground', () => {
  test.each(examples.map(example => [/(?:query|mutation) (\w+)/.exec(example.query)?.[1], example] as const))(
    '%s runs on the demo data',
    async (name, { query, variables }) => {
      const text = JSON.stringify(variables)
        .replaceAll(placeholders.now, new Date().toISOString())
        .replaceAll(placeholders.startOfToday, '2000-01-01T00:00:00.000Z');
      const { status, body } = await app.graphql(query, JSON.parse(text));
      expect(status).toBe(200);
      if (name === 'ReplaceMenus') expect(body.errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
      else expect([body.errors, Object.values(body.data).includes(null)]).toEqual([undefined, false]);
    },
  );
});

describe('the page of the playground', async () => {
  const page = await app.get('/graphql', { accept: 'text/html' });
  const files = [...page.text.matchAll(/(?:src|href)="(graphql\/[^"]+)"/g)].map(([, file]) => `/${file}`);
  const compressed = { 'accept-encoding': 'br' };

  test('loads files that are immutable and compressed', async () => {
    expect(files).toHaveLength(3);
    for (const file of files) {
      const { status, headers } = await app.get(file, compressed);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-encoding')).toBe('br');
    }
    expect((await app.get(files[0]?.replace(/graphql\/./, 'graphql/_') ?? '')).status).toBe(404);
  });

  test('is compressed to less than a quarter of its size', async () => {
    const { files: assets } = await renderPlayground();
    const sizes = [...assets.values()].map(
      async file => [file.bytes.length, (await file.encoded('br')).length] as const,
    );
    const [plain = 0, encoded = 0] = (await Promise.all(sizes)).reduce(([a, b], [c, d]) => [a + c, b + d]);
    expect(plain).toBeGreaterThan(8_000_000);
    expect(encoded * 4).toBeLessThan(plain);
  });

  test('is 304 for its ETag', async () => {
    const again = await app.get('/graphql', {
      accept: 'text/html',
      'if-none-match': page.headers.get('etag') ?? '',
    });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('starts with the examples and an empty key', async () => {
    const start = await app.get(files.find(file => file.endsWith('start.js')) ?? '');
    for (const { query } of examples) expect(start.text).toContain(JSON.stringify(query));
    expect(start.text.match(/"headers": ".*x-api-key/g)).toHaveLength(examples.length + 1);
  });

  test('loads nothing from other origins', () => {
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self' blob:;");
    expect(page.text).not.toMatch(/https?:/);
  });
});
