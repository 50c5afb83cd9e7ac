import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Contract } from './contract/contract.ts';
import { colonPath } from './contract/parameters.ts';
import { Problem } from './errors.ts';

/** What no operation answers: other methods, paths with a slash too many or too few, and paths that do not exist. */
export function mountFallbackRoutes(app: FastifyInstance, { operations }: Contract): void {
  const routes = Map.groupBy(operations, ({ route }) => route.path);
  for (const [path, onPath] of routes) {
    mountOtherMethods(
      app,
      path,
      onPath.map(({ route }) => route.method),
    );
    const other = otherSlash(path);
    if (!routes.has(other)) mountRedirect(app, other);
  }
  for (const prefix of new Set([...routes.keys()].map(path => path.split('/')[1]))) {
    app.route({
      method: app.supportedMethods,
      url: `/${prefix}/*`,
      ...respondAtOnce(() => {
        throw new Problem(404, 'Not Found');
      }),
    });
  }
}

/** Before the body is read: whatever it is, it changes nothing. */
function respondAtOnce(respond: (request: FastifyRequest, reply: FastifyReply) => unknown) {
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
    ...respondAtOnce(() => {
      throw new Problem(405, 'Method Not Allowed', { allow });
    }),
  });
  app.options(colonPath(path), (_request, reply) => reply.code(204).header('allow', allow).send());
}

function mountRedirect(app: FastifyInstance, path: string): void {
  app.route({
    method: app.supportedMethods,
    url: colonPath(path),
    ...respondAtOnce((request, reply) => reply.redirect(documentedUrl(request), 307)),
  });
}

const otherSlash = (path: string) => (path.endsWith('/') ? path.slice(0, -1) : `${path}/`);

function documentedUrl({ url }: FastifyRequest): string {
  const [, path = '', query = ''] = /^(?:\w+:\/\/[^/]*)?([^?]*)(.*)$/s.exec(url) ?? [];
  return otherSlash(path) + query;
}
