import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentSecurityPolicy } from './asset.ts';
import { html } from './html.ts';
import { renderTextPage } from './text-page.ts';

const policy = contentSecurityPolicy();

/** Responds 404: to a browser outside of `/v1` and `/graphql` with a page that leads on, else in JSON. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = request.url.split('?');
  const isPage = ['GET', 'HEAD'].includes(request.method) && request.headers.accept?.includes('text/html');
  if (!isPage || /^\/(v1|graphql)(\/|$)/.test(path)) return reply.code(404).send({ detail: 'Not Found' });
  reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  return reply.code(404).type('text/html; charset=utf-8').send(renderNotFound(path));
}

function renderNotFound(path: string): string {
  const depth = path.split('/').length - 2;
  const base = depth > 20 ? '/' : '../'.repeat(depth);
  return renderTextPage({
    title: 'Not found',
    base,
    content: html`<h1>Not found</h1>
        <p>There is no page at <code>${path.slice(0, 200)}</code>.</p>
        <ul>
          <li><a href="${base || './'}">Start page</a></li>
          <li><a href="${base}guides">Guides</a></li>
          <li><a href="${base}docs">REST reference</a></li>
          <li><a href="${base}graphql">Playground</a></li>
          <li><a href="${base}menu">Menu viewer</a></li>
          <li><a href="${base}console">Console</a></li>
        </ul>`,
  });
}
