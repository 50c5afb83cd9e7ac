import { brotliDecompressSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { mountDocs } from '../../src/server/docs.ts';

const app = Fastify();
mountDocs(app, { openapi: '3.1.0', info: { title: 'A' } });

describe('/docs', () => {
  test('every file that the page loads is served', async () => {
    const page = await app.inject('/docs');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const files = [...page.body.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(match => match[1] ?? '');
    expect(files).toHaveLength(3);
    for (const file of files) {
      expect(file).toMatch(/^docs\/[\w-]{22}\/[\w.-]+$/);
      const response = await app.inject(`/${file}`);
      expect(response.statusCode).toBe(200);
      expect(response.rawPayload.length).toBeGreaterThan(100);
      expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
  });

  test('the page loads nothing from other origins, and sends the document to no validator', async () => {
    const page = await app.inject('/docs');
    expect(page.headers['content-security-policy']).toContain("default-src 'self'");
    const start = await app.inject(`/${/docs\/[\w-]+\/start\.js/.exec(page.body)?.[0]}`);
    expect(start.body).toContain('validatorUrl: null');
    expect(start.body).toContain('persistAuthorization: true');
  });

  test('no other file of the package is served', async () => {
    for (const path of [
      '/docs/package.json',
      '/docs/swagger-ui.css',
      '/docs/index.html',
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
    ]) {
      expect((await app.inject(path)).statusCode).toBe(404);
    }
  });

  test('/docs/ redirects to /docs', async () => {
    const response = await app.inject('/docs/');
    expect([response.statusCode, response.headers.location]).toEqual([307, '../docs']);
  });
});

test('the files of the page are compressed', async () => {
  const page = await app.inject('/docs');
  const url = `/${/docs\/[\w-]+\/swagger-ui-bundle\.js/.exec(page.body)?.[0]}`;
  const plain = await app.inject(url);
  const compressed = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } });
  expect(compressed.headers).toMatchObject({
    'content-encoding': 'br',
    vary: 'accept-encoding',
    etag: plain.headers.etag,
  });
  expect(compressed.rawPayload.length * 3).toBeLessThan(plain.rawPayload.length);
  expect(brotliDecompressSync(compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
});

test('/openapi.json is the OpenAPI document', async () => {
  const response = await app.inject('/openapi.json');
  expect(response.json()).toEqual({ openapi: '3.1.0', info: { title: 'A' } });
});
