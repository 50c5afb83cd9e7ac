import { describe, expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { renderPlayground } from '../../src/server/pages/playground.ts';
import { examples } from '../../web/playground/examples.ts';
import { startApp } from '../support/app.ts';

const queries = examples.filter(({ query }) => !/^subscription/m.test(query));

const app = await startApp();
await loadDemo(app.orm);

describe('the examples of the playground', () => {
  test.each(queries.map(example => [/(?:query|mutation) (\w+)/.exec(example.query)?.[1], example] as const))(
    '%s runs on the demo data',
    async (name, { query, variables }) => {
      const { status, body } = await app.graphql(query, variables(new Date()));
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
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const { status, headers } = await app.get(file, compressed);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('content-encoding')).toBe('br');
    }
    expect((await app.get(files[0]?.replace(/graphql\/./, 'graphql/_') ?? '')).status).toBe(404);
  });

  test('loads less than 1.2 MB, compressed', async () => {
    const playground = await renderPlayground();
    const early = files.map(
      async file => (await playground?.files.get(file.slice(1))?.encoded('br'))?.length ?? Infinity,
    );
    expect((await Promise.all(early)).reduce((sum, length) => sum + length)).toBeLessThan(1_200_000);
  });

  test('is 304 for its ETag', async () => {
    const again = await app.get('/graphql', {
      accept: 'text/html',
      'if-none-match': page.headers.get('etag') ?? '',
    });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('loads nothing from other origins, and runs no inline script but its import map', () => {
    const script = expect.stringMatching(/^script-src 'self' 'sha256-[^']+'$/);
    expect(page.headers.get('content-security-policy')?.split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", script, "worker-src 'self'", "connect-src 'self'"]),
    );
    expect(page.text).not.toMatch(/https?:/);
  });
});
