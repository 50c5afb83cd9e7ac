import type { FastifyInstance, FastifyReply } from 'fastify';

const notFound = (reply: FastifyReply) => reply.code(404).send({ detail: 'Not Found' });

/** What no part of the server answers, or fails to. Where a part has its own words for errors, these are not used. */
export function handleNotFound(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) => notFound(reply));
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) => {
    // Fastify reads a body even for a path that does not exist.
    if (request.is404) return notFound(reply);
    const status = error.statusCode ?? 500;
    if (status < 500) return reply.code(status).send({ detail: error.message });
    request.log.error(error);
    return reply.code(500).header('x-request-id', request.id).send({ detail: 'Internal server error' });
  });
  refuseOtherMethods(app);
}

const allow = 'GET, HEAD, OPTIONS, POST';

/** Of `/graphql`, before anything of a body is read. */
function refuseOtherMethods(app: FastifyInstance): void {
  const errors = [{ message: 'Method Not Allowed', extensions: { code: 'METHOD_NOT_ALLOWED' } }];
  app.route({
    method: app.supportedMethods.filter(method => !allow.split(', ').includes(method)),
    url: '/graphql',
    onRequest: async (_request, reply) => reply.code(405).header('allow', allow).send({ errors }),
    handler: () => {},
  });
  app.options('/graphql', (_request, reply) => reply.code(204).header('allow', allow).send());
}
