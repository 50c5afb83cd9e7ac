import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { readExample } from '../examples/readme.ts';
import { site } from './site.ts';

/** As in the examples; the server of a page puts a real one in its place. */
const placeholder = 'carte_pub_…';
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** An example of a page, as its README builds it. */
export function openExample(name: string) {
  const { folder, commands } = readExample(name, `'${placeholder}'`);
  const dist = join(folder, 'dist');
  const read = (path: string, key: string, texts: Readonly<Record<string, string>> = {}) =>
    Object.entries({ 'http://127.0.0.1:4000': site.url, [placeholder]: key, ...texts }).reduce(
      (text, [written, put]) => text.replaceAll(written, put),
      readFileSync(join(dist, path), 'utf8'),
    );
  return {
    dist,
    read,
    build: () =>
      promisify(execFile)('bash', ['-euc', commands], { cwd: folder, env: { ...process.env, NODE_ENV: 'production' } }),
    /** The web server of a restaurant, with its files: its origin. `textOf` returns what it sends. */
    async serve(textOf: (path: string, origin: string) => string): Promise<string> {
      const server = createServer(({ url = '' }, response) => {
        const { pathname } = new URL(url, 'http://page');
        response.setHeader('cache-control', 'no-store');
        response.setHeader('content-type', types[extname(pathname)] ?? 'text/plain');
        if (pathname === '/favicon.ico') response.writeHead(404).end();
        else response.end(textOf(pathname, origin));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      afterAll(() => server.close());
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      site.origins.add(origin);
      return origin;
    },
  };
}
