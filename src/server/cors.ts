import type { FastifyInstance } from 'fastify';

const exposed =
  'ETag, Retry-After, X-Request-Id, RateLimit-Limit, RateLimit-Policy, RateLimit-Remaining, RateLimit-Reset';
const methods = 'GET, HEAD, POST';
const headers =
  'Content-Type, X-Api-Key, If-Match, If-None-Match, X-Request-Id, X-Apollo-Operation-Name, Apollo-Require-Preflight';
const dayInSeconds = '86400';

/** Lets pages of these origins, or of all for `*`, call the service. Without origins, browsers keep to its own pages. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const all = origins.includes('*');
  if (!all) {
    app.addHook('onSend', (_request, reply, _payload, done) => {
      const other = reply.getHeader('vary');
      reply.header('vary', other === undefined ? 'origin' : `${other}, origin`);
      done();
    });
  }
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined || !(all || origins.includes(origin))) return done();
    reply.header('access-control-allow-origin', all ? '*' : origin);
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      reply
        .code(204)
        .header('access-control-allow-methods', methods)
        .header('access-control-allow-headers', headers)
        .header('access-control-max-age', dayInSeconds)
        .send();
      return;
    }
    reply.header('access-control-expose-headers', exposed);
    done();
  });
}
