import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { mountDocs } from '../../src/http/docs.ts';

const app = Fastify();
mountDocs(app, { openapi: '3.1.0', info: { title: 'A' } });

describe('/docs', () => {
  test('every file that the page names is served from here', async () => {
    const page = await app.inject('/docs');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1] ?? '');
    expect(files).toHaveLength(4);
    for (const file of files) {
      expect(file).toMatch(/^docs\/[\w.-]+$/);
      const answer = await app.inject(`/${file}`);
      expect(answer.statusCode).toBe(200);
      expect(answer.rawPayload.length).toBeGreaterThan(100);
    }
  });

  test('the page may load nothing from elsewhere, and asks nobody for an opinion', async () => {
    const page = await app.inject('/docs');
    expect(page.headers['content-security-policy']).toContain("default-src 'self'");
    const start = await app.inject('/docs/start.js');
    expect(start.body).toContain('validatorUrl: null');
    expect(start.body).toContain('persistAuthorization: true');
  });

  test('no other file of the package is served', async () => {
    for (const path of [
      '/docs/package.json',
      '/docs/index.html',
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
    ]) {
      expect((await app.inject(path)).statusCode).toBe(404);
    }
  });

  test('/docs/ leads to /docs', async () => {
    const answer = await app.inject('/docs/');
    expect([answer.statusCode, answer.headers.location]).toEqual([307, '../docs']);
  });
});

test('/openapi.json is the document', async () => {
  const answer = await app.inject('/openapi.json');
  expect(answer.json()).toEqual({ openapi: '3.1.0', info: { title: 'A' } });
});
