import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { mountGuides } from '../../src/server/pages/guides.ts';

const app = Fastify();
mountGuides(app);
const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const names = globSync('**/*.md', { cwd: docs }).map(file => file.slice(0, -'.md'.length));

/** The pages by URL, with the ids of their headings. */
const pages = new Map<string, { readonly body: string; readonly ids: ReadonlySet<string> }>();
for (const url of ['/guides', ...names.map(name => `/guides/${name}`)]) {
  const { body } = await app.inject(url);
  pages.set(url, { body, ids: new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)) });
}

describe('/guides', () => {
  test('every link of a guide leads to a page and a heading that exist', () => {
    const broken: string[] = [];
    let count = 0;
    for (const [url, { body }] of pages) {
      // Below the head, whose links are those of all pages.
      const links = [...(body.split('</header>')[1] ?? '').matchAll(/<a [^>]*href="([^"]+)"/g)].map(
        ([, href = '']) => href,
      );
      for (const link of links.filter(href => !href.startsWith('http'))) {
        const { pathname, hash } = new URL(link, `http://a${url}`);
        const target = pages.get(pathname);
        count += 1;
        if (pathname !== '/' && (!target || (hash && !target.ids.has(hash.slice(1))))) broken.push(`${url}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
    expect(count).toBeGreaterThan(300);
  });

  test('the list has every guide, with its first sentence', () => {
    const body = pages.get('/guides')?.body ?? '';
    for (const name of names) expect(body).toContain(`href="guides/${name}"`);
    expect(body).toContain('How to run Carte in production');
  });

  test('has the pictures of the guides', async () => {
    const sources = [...pages].flatMap(([url, { body }]) =>
      [...body.matchAll(/<main[ >].*/gs)].flatMap(([main]) =>
        [...main.matchAll(/<img [^>]*src="([^"]+)"/g)].map(
          ([, source = '']) => new URL(source, `http://a${url}`).pathname,
        ),
      ),
    );
    expect(sources).toContain('/guides/console.png');
    for (const source of sources) {
      expect(await app.inject(source)).toMatchObject({ statusCode: 200, headers: { 'content-type': 'image/png' } });
    }
  });

  test('loads files of this origin only, and runs nothing inline', async () => {
    const { headers, body } = await app.inject('/guides/operating');
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(body).not.toMatch(/<script>|<style|style="|(src|rel="stylesheet" href)="https?:/);
  });

  test('a guide is also there in Markdown, as plain text', async () => {
    const { headers, body } = await app.inject('/guides/pos.md');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body).toBe(readFileSync(`${docs}pos.md`, 'utf8'));
  });

  test('the search has the text of every section, without markup', async () => {
    const sections: { url: string; guide: string; heading: string; text: string }[] = (
      await app.inject('/guides/search.json')
    ).json();
    const query = sections.find(({ url }) => url === 'front-end#first-query');
    expect(query).toMatchObject({ guide: 'GraphQL for front ends', heading: 'First query' });
    expect(query?.text).toMatch(/^Send a query as a JSON POST with the key in the header x-api-key: curl /);
    for (const { url } of sections) {
      const [name, id] = url.split('#');
      const page = pages.get(`/guides/${name}`);
      expect([url, page !== undefined && (id === undefined || page.ids.has(id))]).toEqual([url, true]);
    }
  });

  test.each([
    '/guides/nothing',
    '/guides/../package.json',
    '/guides/%2e%2e/README.md',
    '/guides/index',
    '/guides/pos.md.md',
  ])('%s is not served', async url => {
    expect((await app.inject(url)).statusCode).toBe(404);
  });

  const moved = [
    ['contributing', 'architecture'],
    ['events', 'webhooks-and-events#the-event-log'],
    ['failover', 'scaling-and-failover#failover'],
    ['glossary', 'architecture#glossary'],
    ['graphql-limits', 'limits'],
    ['operating-orders', 'operating#orders'],
    ['performance', 'architecture#performance'],
    ['scaling', 'scaling-and-failover'],
    ['webhooks', 'webhooks-and-events'],
  ];

  test.each(moved)('/guides/%s, a name of the past, redirects to %s, which exists', async (name, place) => {
    const response = await app.inject(`/guides/${name}`);
    expect([response.statusCode, response.headers.location]).toEqual([308, place]);
    const { pathname, hash } = new URL(place, 'http://a/guides/');
    expect(pages.get(pathname)).toBeDefined();
    if (hash) expect(pages.get(pathname)?.ids).toContain(hash.slice(1));
  });

  test.each(moved)('/guides/%s.md redirects to the Markdown of %s', async (name, place) => {
    const response = await app.inject(`/guides/${name}.md`);
    const [guide] = place.split('#');
    expect([response.statusCode, response.headers.location]).toEqual([308, `${guide}.md`]);
    expect((await app.inject(`/guides/${guide}.md`)).statusCode).toBe(200);
  });

  test('/guides/front-end has a place for each of its former sections', () => {
    const former = [
      ...[
        'first-query',
        'the-playground',
        'keys',
        'in-a-browser',
        'through-a-cache',
        'menus',
        'prices',
        'languages',
        'availability',
      ],
      ...[
        'special-hours',
        'orders',
        'pages',
        'placing-an-order',
        'quotes',
        'service',
        'lines',
        'orders-of-guests',
        'changing-an-order',
      ],
      ...[
        'live-updates',
        'client-side-caching',
        'refetching',
        'normalised-caches',
        'replacing-a-menu',
        'pausing-a-store',
        'sold-out',
      ],
      ...[
        'errors',
        'limits',
        'cost',
        'response-size',
        'persisted-queries',
        'trusted-documents',
        'typed-clients',
        'versions',
      ],
    ];
    const ids = pages.get('/guides/front-end')?.ids ?? new Set();
    expect(former.filter(id => !ids.has(id))).toEqual([]);
  });

  test('/guides/ redirects to /guides', async () => {
    const response = await app.inject('/guides/');
    expect([response.statusCode, response.headers.location]).toEqual([307, '../guides']);
  });
});
