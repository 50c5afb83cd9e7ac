import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { GraphQLSchema } from 'graphql';
import { type ContextDependencies, createContext, createRepositories } from '../graphql/context.ts';
import { loadSchema } from '../graphql/schema.ts';
import { type Contract, loadContract } from '../rest/contract/contract.ts';
import { compileOrderRenderer, deliverWebhooks } from './webhooks.ts';

export interface Graph {
  readonly schema: GraphQLSchema;
  /** The operations of schema/rest. */
  readonly contract: Contract;
  readonly dependencies: ContextDependencies;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly graph: Graph;
  }
}

/** Decorates the server with the graph that `/graphql`, `/v1` and webhooks have in common. */
export const graph = fp(
  async (app: FastifyInstance) => {
    const { config, database, metrics } = app;
    const schema = loadSchema();
    const contract = loadContract(schema);
    const dependencies: ContextDependencies = {
      orm: database.orm,
      repositories: createRepositories(database, config.historyLimits),
      menuLimits: config.menuLimits,
      historyLimits: config.historyLimits,
      onReplaced: metrics.menuReplaced,
    };
    const renderOrder = compileOrderRenderer(schema, contract, scope => createContext(dependencies, scope));
    const webhooks = deliverWebhooks(app, renderOrder);
    app.decorate('graph', { schema, contract, dependencies: { ...dependencies, webhooks } });
  },
  { name: 'graph', dependencies: ['database', 'events', 'metrics'] },
);
