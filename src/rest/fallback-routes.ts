import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from './contract/contract.ts';
import { colonPath } from './contract/parameters.ts';
import { HttpError } from './errors.ts';

/** Mounts 405 for other methods of a path, 307 for a missing or superfluous trailing slash, and 404 for any other path. */
export function mountFallbackRoutes(app: FastifyInstance, operations: readonly Operation[]): void {
  const byPath = Map.groupBy(operations, ({ route }) => route.path);
  for (const [path, onPath] of byPath) {
    const methods = onPath.map(({ route }) => route.method);
    mountOtherMethods(app, path, methods);
    const alternative = toggleTrailingSlash(path);
    if (!byPath.has(alternative)) mountRedirect(app, alternative);
  }
  for (const prefix of new Set([...byPath.keys()].map(path => path.split('/')[1]))) {
    app.route({
      method: app.supportedMethods,
      url: `/${prefix}/*`,
      ...respondOnRequest(() => {
        throw new HttpError(404, 'Not Found');
      }),
    });
  }
}

/** Responds without reading the body. */
function respondOnRequest(respond: (request: FastifyRequest, reply: FastifyReply) => unknown) {
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => respond(request, reply),
    handler: () => {},
  };
}

function mountOtherMethods(app: FastifyInstance, path: string, methods: readonly string[]): void {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
  const allow = allowed.join(', ');
  app.route({
    method: app.supportedMethods.filter(method => !allowed.includes(method)),
    url: colonPath(path),
    ...respondOnRequest(() => {
      throw new HttpError(405, 'Method Not Allowed', { allow });
    }),
  });
  app.options(colonPath(path), (_request, reply) => reply.code(204).header('allow', allow).send());
}

function mountRedirect(app: FastifyInstance, path: string): void {
  app.route({
    method: app.supportedMethods,
    url: colonPath(path),
    ...respondOnRequest((request, reply) => reply.redirect(documentedUrl(request), 307)),
  });
}

const toggleTrailingSlash = (path: string) => (path.endsWith('/') ? path.slice(0, -1) : `${path}/`);

function documentedUrl({ url }: FastifyRequest): string {
  const [, path = '', query = ''] = /^(?:\w+:\/\/[^/]*)?([^?]*)(.*)$/s.exec(url) ?? [];
  return toggleTrailingSlash(path) + query;
}
