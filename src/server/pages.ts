import type { FastifyInstance } from 'fastify';
import { sendAsset } from '../cache/asset.ts';
import { findFiles } from './pages/files.ts';

/** Nothing inline and nothing from elsewhere: even a text that slipped into a page as markup could neither run nor call. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pages = { '/': 'landing/page.html', '/menu': 'menu/page.html' };

/** The pages for people, `/` and `/menu`, and under `/web` what they load: the files of `web/`, each at a route of its own. */
export function mountPages(app: FastifyInstance): void {
  const files = findFiles(new URL('../../web/', import.meta.url));
  for (const [url, path] of Object.entries(pages)) {
    const page = files.get(path);
    if (!page) throw new Error(`web/${path} is missing`);
    app.get(url, (request, reply) =>
      sendAsset(
        page(),
        request,
        reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer'),
      ),
    );
  }
  app.get('/menu/', (_request, reply) => reply.redirect('../menu', 307));
  for (const [path, file] of files) {
    if (!path.endsWith('.html')) app.get(`/web/${path}`, (request, reply) => sendAsset(file(), request, reply));
  }
}
