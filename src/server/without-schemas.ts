import type { FastifyServerOptions } from 'fastify';

/** Routes have no JSON schemas; with this, Fastify does not load Ajv, some 80 ms of each start. */
export const schemaController: NonNullable<FastifyServerOptions['schemaController']> = {
  compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas },
};

function withoutSchemas(): never {
  throw new Error('A route has a JSON schema, but Carte validates requests by the types of the graph');
}
