import type { MikroORM } from '@mikro-orm/postgresql';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { authenticate, type Caller } from '../auth/authenticate.ts';
import type { Config } from '../config.ts';
import { Unauthenticated } from '../errors.ts';
import { createContext } from '../graphql/context.ts';
import { mountGraphql } from '../graphql/endpoint.ts';
import { createSchema } from '../graphql/schema.ts';
import { mountRest } from '../rest/mount.ts';
import { openapiDocument } from '../rest/openapi/document.ts';
import { mountDocs } from './docs.ts';
import { mountHealth } from './health.ts';

export type ServerConfig = Pick<Config, 'logLevel' | 'bodyLimit' | 'introspection'>;

/** The whole service on one Fastify instance, not yet listening. */
export async function createServer(orm: MikroORM, config: ServerConfig): Promise<FastifyInstance> {
  const schema = createSchema();
  const app = Fastify({
    logger: config.logLevel === 'silent' ? false : { level: config.logLevel, stream: process.stderr },
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.bodyLimit,
    requestTimeout: 10_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 },
    // Keys such as `__proto__` are data like any other; nothing here merges what it parses.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, _request, reply: FastifyReply) =>
      reply.code(error.statusCode ?? 400).send({ detail: error.message }),
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ detail: 'Not Found' }));
  mountHealth(app, orm);
  await app.register(graphql =>
    mountGraphql(graphql, {
      schema,
      introspection: config.introspection,
      createContext: async request => createContext(orm, (await callerOf(orm, request))?.reach),
    }),
  );
  const contract = mountRest(app, {
    schema,
    bodyLimit: config.bodyLimit,
    authenticate: async request => (await callerOf(orm, request)) ?? missingKey(),
    createContext: caller => createContext(orm, caller.reach),
  });
  mountDocs(app, openapiDocument(contract));
  return app;
}

async function callerOf(orm: MikroORM, { headers }: FastifyRequest): Promise<Caller | undefined> {
  const key = headers['x-api-key'];
  if (Array.isArray(key)) throw new Unauthenticated('The header x-api-key came more than once.');
  return key ? authenticate(orm, key) : undefined;
}

function missingKey(): never {
  throw new Unauthenticated('An API key is needed in the header x-api-key.');
}
