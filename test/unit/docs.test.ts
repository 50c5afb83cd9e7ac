import { brotliDecompressSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { loadContract } from '../../src/rest/contract.ts';
import { mountDocs } from '../../src/server/pages/docs.ts';
import { version } from '../../src/version.ts';
import { buildGraph } from '../support/graph.ts';

const app = Fastify();
const contract = loadContract(buildGraph());
mountDocs(app, [
  { contract, document: () => ({ openapi: '3.1.0', info: { title: 'A' } }) },
  {
    contract: { ...contract, name: 'shop', info: undefined },
    document: () => ({ openapi: '3.1.0', info: { title: 'B' } }),
  },
]);
const page = await app.inject('/docs');
const client = await app.inject('/docs/try');
const scriptUrl = `/docs/${/[\w-]{22}\/scalar\.js/.exec(client.body)?.[0]}`;

describe('/docs', () => {
  test('loads scripts and styles of this origin only, and shows the version', () => {
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    for (const { body } of [page, client]) expect(body).not.toMatch(/<script>|(src|href)="https?:\/\//);
    expect(page.body).toContain(`REST reference ${version}`);
  });

  test('the script of its client is served compressed, and never has to be loaded again', async () => {
    const plain = await app.inject(scriptUrl);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const compressed = await app.inject({ url: scriptUrl, headers: { 'accept-encoding': 'gzip, br' } });
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'br',
      vary: 'accept-encoding',
      etag: plain.headers.etag,
    });
    expect(compressed.rawPayload.length * 3).toBeLessThan(plain.rawPayload.length);
    expect(brotliDecompressSync(compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
  });

  test.each(['/docs/package.json', '/docs/js/scalar.js', '/docs/other/scalar.js', '/docs/%2e%2e/package.json'])(
    '%s is not served',
    async path => {
      expect((await app.inject(path)).statusCode).toBe(404);
    },
  );

  test('/docs/ redirects to /docs', async () => {
    const response = await app.inject('/docs/');
    expect([response.statusCode, response.headers.location]).toEqual([307, '../docs']);
  });
});

test('the sets refer to each other, and each page to its own document', async () => {
  const shop = await app.inject('/docs?set=shop');
  expect(page.body).toContain('<a href="docs" aria-current="page">Carte</a> <a href="docs?set=shop">shop</a>');
  expect(client.body).toContain('href="../openapi.json"');
  expect(shop.body).toContain('<a href="docs?set=shop" aria-current="page">shop</a>');
  expect((await app.inject('/docs/try?set=shop')).body).toContain('href="../openapi/shop.json"');
  expect((await app.inject('/openapi/shop.json')).json()).toEqual({ openapi: '3.1.0', info: { title: 'B' } });
  expect((await app.inject('/openapi/shop-3.0.json')).json()).toEqual({ openapi: '3.0.3', info: { title: 'B' } });
  expect((await app.inject('/openapi/shop.postman.json')).json().info.name).toBe('shop');
  for (const path of ['/docs?set=other', '/docs/try?set=other']) expect((await app.inject(path)).statusCode).toBe(404);
});

test('/openapi.json is the document, and /openapi-3.0.json is the same in version 3.0', async () => {
  expect((await app.inject('/openapi.json')).json()).toEqual({ openapi: '3.1.0', info: { title: 'A' } });
  expect((await app.inject('/openapi-3.0.json')).json()).toEqual({ openapi: '3.0.3', info: { title: 'A' } });
});
