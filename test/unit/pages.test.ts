import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { joinModules } from '../../src/server/pages/joined-modules.ts';
import { mountPages, stripTypes } from '../../src/server/pages/mount.ts';

const app = Fastify();
mountPages(app, { introspection: true, metrics: true });

describe.each(['/', '/menu', '/console'])('%s', url => {
  test('every file that the page and its modules refer to is served', async () => {
    const page = await app.inject(url);
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const pending = [...page.body.matchAll(/(?:src|href)="(web\/[^"]+)"/g)].map(([, file]) => `/${file}`);
    const seen = new Set<string>();
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      seen.add(file);
      const { statusCode, body } = await app.inject(file);
      expect([file, statusCode]).toEqual([file, 200]);
      const references = body.matchAll(/(?:from|(?:operation|URL|import)\s*\()\s*'([^']+)'|from\s*"([^"]+)"/g);
      const names = [...references].map(([, single, double]) => single ?? double ?? '');
      const urls = names.filter(name => /\.\w+$/.test(name)).map(name => new URL(name, `http://a${file}`).pathname);
      pending.push(...urls.filter(name => !seen.has(name)));
    }
    expect(seen.size).toBeGreaterThan(4);
  });

  test('runs and loads files of this origin only, and nothing inline', async () => {
    const { headers, body } = await app.inject(url);
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(body).not.toMatch(/<script>|<style|style="|(src|href)="https?:\/\//);
  });

  test('is 304 for its ETag', async () => {
    const { headers } = await app.inject(url);
    const again = await app.inject({ url, headers: { 'if-none-match': headers.etag } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });
});

test.each(["import a from './a.ts';", 'export default 1;', 'export { a };'])(
  'a module with "%s" is not joined',
  text => {
    expect(() => joinModules(['main.ts'], () => text)).toThrow(
      `web/main.ts cannot be joined with others because of "${text}"`,
    );
  },
);

test('a file is compressed for clients that accept it', async () => {
  const plain = await app.inject('/web/menu/main.ts');
  const compressed = await app.inject({ url: '/web/menu/main.ts', headers: { 'accept-encoding': 'gzip' } });
  expect(compressed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(compressed.rawPayload).toString()).toBe(plain.body);
});

test('/ shows the version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect((await app.inject('/')).body).toContain(`<dd>${version}</dd>`);
});

test('/favicon.ico is the icon of the pages', async () => {
  const { statusCode, headers, body } = await app.inject('/favicon.ico');
  expect([statusCode, headers['content-type']]).toEqual([200, 'image/svg+xml']);
  expect(body).toBe((await app.inject('/web/icon.svg')).body);
});

test.each(['menu', 'console'])('/%s/ redirects to the URL without the slash', async page => {
  const response = await app.inject(`/${page}/`);
  expect([response.statusCode, response.headers.location]).toEqual([307, `../${page}`]);
});

test('/menu/{store} redirects to the viewer with this store', async () => {
  const { statusCode, headers } = await app.inject('/menu/caf%C3%A9%26?key=carte_pub_x&store=other');
  expect([statusCode, headers.location]).toEqual([307, '../menu?key=carte_pub_x&store=caf%C3%A9%26']);
});

test.each(['/web/tsconfig.json', '/web/menu/menu.html', '/web/', '/web/../package.json', '/web/%2e%2e/package.json'])(
  '%s is not served',
  async url => {
    expect((await app.inject(url)).statusCode).toBe(404);
  },
);

describe('the modules of the pages', () => {
  test('are JavaScript without types, with the line numbers of the source', async () => {
    const source = readFileSync(new URL('../../web/menu/local-time.ts', import.meta.url), 'utf8');
    const { headers, body } = await app.inject('/web/menu/local-time.ts');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(body.split('\n')).toHaveLength(source.split('\n').length);
    expect(body).not.toContain(': Date');
  });

  test('are stripped of types without a warning, and other warnings are still emitted', () => {
    const warn = process.emitWarning;
    const warnings: unknown[] = [];
    process.emitWarning = (warning: unknown) => void warnings.push(warning);
    expect(stripTypes('const a: number = 1;')).toBe('const a         = 1;');
    process.emitWarning('another');
    process.emitWarning = warn;
    expect(warnings).toEqual(['another']);
  });
});
