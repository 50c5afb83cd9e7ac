import type { Contract } from '@carte/operations/contract/contract';
import type { SetFiles } from '@carte/operations/contract/folders';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { GraphQLSchema } from 'graphql';
import { createEventWaiting } from '../events/polling.ts';
import { type ContextDependencies, createGuestOrders, createRepositories } from '../graphql/context.ts';
import { toPublicSchema } from '../graphql/public-schema.ts';
import { loadPublicSchema, loadSchema, loadSubgraph } from '../graphql/schema.ts';
import { createGuestOrderCheck } from './guest-order-check.ts';
import { loadOperations } from './operations.ts';
import { compileMessages, deliverWebhooks } from './webhooks.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly graph: {
      /** The executable graph. */
      readonly schema: GraphQLSchema;
      /** The same without what is internal, as `/graphql` has it. */
      readonly publicSchema: GraphQLSchema;
      /** Sets of operations: `v1`, others that come with Carte, and the operator's. */
      readonly sets: readonly Contract[];
      readonly dependencies: ContextDependencies;
    };
  }
}

/** Decorates the server with the graph that `/graphql`, routes and webhooks have in common. */
export const graph = fp(
  async (app: FastifyInstance, { operatorSets }: { readonly operatorSets?: readonly SetFiles[] | undefined }) => {
    const { config, database, feed, metrics } = app;
    const schema = config.subgraph ? await loadSubgraph() : loadSchema();
    const publicSchema = config.subgraph ? toPublicSchema(schema) : loadPublicSchema();
    const sets = loadOperations(schema, config, operatorSets);
    const dependencies: ContextDependencies = {
      orm: database.orm,
      repositories: createRepositories(database, config.historyLimits),
      menuLimits: config.menuLimits,
      historyLimits: config.historyLimits,
      onReplaced: metrics.menuReplaced,
      feed,
      guestOrders: createGuestOrders(config.guestOrders, createGuestOrderCheck(app)),
      waitForEvents: createEventWaiting(feed, database.primary, app.holdRequest),
    };
    const webhooks = deliverWebhooks(app, {
      messages: compileMessages(schema, sets, dependencies, config.graphqlLimits),
      cursors: dependencies.repositories.events.cursors,
    });
    app.decorate('graph', { schema, publicSchema, sets, dependencies: { ...dependencies, webhooks } });
  },
  { name: 'graph', dependencies: ['database', 'events', 'metrics', 'streams'] },
);
