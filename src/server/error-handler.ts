import { HttpError, toHttpError } from '@carte/operations/errors';
import { addVary } from '@carte/operations/http/vary';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { defaultPolicy } from './pages/asset.ts';
import { html } from './pages/html.ts';
import { renderTextPage } from './pages/page.ts';

/** Sets the handlers for unknown paths and for errors of routes outside of `/v1` and `/graphql`, which have their own. */
export const errorHandler = fp(
  async (app: FastifyInstance) => {
    app.setNotFoundHandler(sendNotFound);
    app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) => {
      // Fastify parses a body even where there is no route.
      if (request.is404) return sendNotFound(request, reply);
      const status = error.statusCode ?? 500;
      if (status < 500) return sendDetail(reply.code(status), error.message);
      request.log.error(error);
      return sendDetail(reply.code(500).header('x-request-id', request.id), 'Internal server error');
    });
  },
  { name: 'error-handler' },
);

/** Responds to errors of routes outside of a set: to a client error, or with 500 to a bug, which is logged. */
export function handleErrors(app: FastifyInstance, bodyOf: (error: HttpError) => object): void {
  app.setErrorHandler((error, request, reply) => {
    const known = toHttpError(app.translateError(error) ?? error);
    if (!known) request.log.error({ err: error }, 'A request failed');
    const response = known ?? new HttpError(500, 'Internal server error', { 'x-request-id': request.id });
    return sendJson(reply.code(response.status).headers(response.headers), bodyOf(response));
  });
}

/** Sends the body of an error with the media type that it has within `/v1`. */
export const sendDetail = (reply: FastifyReply, detail: string): FastifyReply => sendJson(reply, { detail });

/** Sends bytes, because Fastify adds a charset to others, which `application/json` does not have. */
const sendJson = (reply: FastifyReply, body: object): FastifyReply =>
  reply.type('application/json').send(Buffer.from(JSON.stringify(body)));

/** Responds 404: to a browser outside of `/v1` and `/graphql` with a page that leads on, else in JSON. */
function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  addVary(reply, 'accept');
  const [path = ''] = request.url.split('?');
  const isPage = ['GET', 'HEAD'].includes(request.method) && request.headers.accept?.includes('text/html');
  if (!isPage || /^\/(v1|graphql)(\/|$)/.test(path)) return sendDetail(reply.code(404), 'Not Found');
  reply.headers({ 'content-security-policy': defaultPolicy, 'referrer-policy': 'no-referrer' });
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
