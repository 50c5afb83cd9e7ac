import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { loadSchema } from '../../src/graphql/schema.ts';
import { loadContract } from '../../src/rest/contract.ts';
import { mountDocs } from '../../src/server/pages/docs.ts';
import { version } from '../../src/version.ts';

const app = Fastify();
const schema = loadSchema();
const contract = loadContract(schema);
const sets = [
  { contract, document: () => ({ openapi: '3.1.0', info: { title: 'A' } }) },
  {
    contract: { ...contract, name: 'shop', info: undefined },
    document: () => ({ openapi: '3.1.0', info: { title: 'B' } }),
  },
];
mountDocs(app, { sets, schema });
const page = await app.inject('/docs');

describe('/docs', () => {
  test('loads scripts and styles of this origin only, and shows the version', () => {
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.body).not.toMatch(/<script>|(src|href)="https?:\/\//);
    expect(page.body).toContain(`REST reference ${version}`);
  });

  test.each(['/docs/package.json', '/docs/%2e%2e/package.json'])('%s is not served', async path => {
    expect((await app.inject(path)).statusCode).toBe(404);
  });

  test('/docs/try, where the client was, redirects to /docs', async () => {
    const response = await app.inject('/docs/try');
    expect([response.statusCode, response.headers.location]).toEqual([308, '../docs']);
  });

  test('/docs/ redirects to /docs', async () => {
    const response = await app.inject('/docs/');
    expect([response.statusCode, response.headers.location]).toEqual([307, '../docs']);
  });
});

test('the sets refer to each other, and each page to its own document', async () => {
  const shop = await app.inject('/docs?set=shop');
  expect(page.body).toContain('<a href="docs" aria-current="page">Carte</a> <a href="docs?set=shop">shop</a>');
  expect(shop.body).toContain('<a href="docs?set=shop" aria-current="page">shop</a>');
  expect(shop.body).toContain('<a id="openapi" href="openapi/shop.json"');
  expect((await app.inject('/openapi/shop.json')).json()).toEqual({ openapi: '3.1.0', info: { title: 'B' } });
  expect((await app.inject('/openapi/shop-3.0.json')).json()).toEqual({ openapi: '3.0.3', info: { title: 'B' } });
  expect((await app.inject('/openapi/shop.postman.json')).json().info.name).toBe('shop');
  expect((await app.inject('/docs?set=other')).statusCode).toBe(404);
});

test('/openapi.json is the document, and /openapi-3.0.json is the same in version 3.0', async () => {
  expect((await app.inject('/openapi.json')).json()).toEqual({ openapi: '3.1.0', info: { title: 'A' } });
  expect((await app.inject('/openapi-3.0.json')).json()).toEqual({ openapi: '3.0.3', info: { title: 'A' } });
});

describe('/docs/graph', () => {
  test('has every type and field, with a page for each type; no link is broken', async () => {
    const entries: { readonly url: string }[] = (await app.inject('/docs/search.json')).json();
    const bodies = new Map<string, string>();
    for (const url of new Set(['docs/graph', ...entries.map(({ url }) => url.split('#')[0] ?? '')])) {
      const { statusCode, body } = await app.inject(`/${url}`);
      expect([url, statusCode]).toEqual([url, 200]);
      bodies.set(`/${url}`, body);
    }
    expect(entries.map(({ url }) => url)).toEqual(
      expect.arrayContaining(['docs/graph/Store#menus', 'docs/graph/Money']),
    );
    for (const [url, body] of bodies) {
      for (const [, href = ''] of body.matchAll(/ href="((?:\.\.\/)*docs\/graph[^"]*)"/g)) {
        const target = new URL(href, `http://a${url}`);
        const id = target.hash.slice(1);
        const found = bodies.get(target.pathname)?.includes(id === '' ? '' : ` id="${id}"`);
        expect([url, href, found]).toEqual([url, href, true]);
      }
    }
  });

  test('says who may read a field and what it costs', async () => {
    const section = async (type: string, field: string) => {
      const { body } = await app.inject(`/docs/graph/${type}`);
      const found = body.split('<section').find(part => part.includes(` id="${field}"`)) ?? '';
      return found.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
    };
    expect(await section('Mutation', 'placeOrder')).toContain(
      'Needs the permission ORDERS, or a publishable key with PLACE_GUEST_ORDERS.',
    );
    expect(await section('Store', 'orders')).toContain('Read by keys with READ_ORDERS');
    const stores = await section('Query', 'stores');
    expect(stores).toContain('Read by any key and publishable keys.');
    expect(stores).toContain('Counts as many objects as first, last or limit says.');
  });

  test('is absent where the graph is not shown', async () => {
    const closed = Fastify();
    mountDocs(closed, { sets, schema: undefined });
    expect((await closed.inject('/docs/graph')).statusCode).toBe(404);
    expect((await closed.inject('/docs')).body).not.toContain('docs/graph');
    expect((await closed.inject('/docs/search.json')).json()).toEqual([]);
  });
});
