import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { print } from 'graphql';
import { mountGraphql } from '../graphql/endpoint.ts';
import { loadTrustedDocuments, type OwnDocuments } from '../graphql/persisted-documents.ts';
import type { SubscriptionOptions } from '../graphql/subscriptions/mount.ts';
import type { Contract } from '../rest/contract/contract.ts';
import { documentsOfPages } from './pages/mount.ts';
import { mountPlayground } from './pages/playground.ts';

/** Mounts `/graphql`. */
export const graphql = fp(
  async (app: FastifyInstance) => {
    const { config, graph, responseCache } = app;
    await app.register(mountGraphql, {
      schema: graph.schema,
      dependencies: graph.dependencies,
      introspection: config.introspection,
      limits: config.graphqlLimits,
      trusted: config.trustedDocuments === undefined ? undefined : loadTrustedDocuments(config.trustedDocuments),
      own: ownDocuments(graph.sets),
      responseCache,
      authenticate: app.authenticate,
      translateError: app.translateError,
      requests: app.requestShares,
      runExpensive: app.runExpensive,
      mountPlayground,
      subscriptions: subscriptionOptions(app),
    });
  },
  {
    name: 'graphql',
    dependencies: [
      ...['address-limit', 'authentication', 'database-errors', 'drain', 'events', 'fair-shares', 'graph'],
      ...['json-bodies', 'protocol', 'rate-limit', 'requests', 'streams'],
    ],
  },
);

/** What clients may send although an operator's list of trusted documents does not have it. */
function ownDocuments(sets: readonly Contract[]): OwnDocuments {
  const operations = sets.flatMap(set => set.operations.map(({ name, document }) => [name, print(document)] as const));
  return { operations: new Map(operations), pages: new Set(documentsOfPages()) };
}

function subscriptionOptions(app: FastifyInstance): SubscriptionOptions {
  const { config, shares } = app;
  return {
    limits: config.streams,
    streams: app.streams,
    events: {
      feed: app.feed,
      query: app.database.primary,
      maxBuffered: config.streams.buffer,
      maxStallMs: config.streams.stallSeconds * 1_000,
    },
    authenticateKey: app.authenticateKey,
    countRequest: app.countMessage,
    addressOf: app.addressOf,
    runReplay: (keyId, task) => shares.replay.run(keyId, task),
    runExpensive: (keyId, task) => shares.expensiveEvents.run(keyId, task),
    isAllowedOrigin: request => app.origins.isKnown(request),
    onStreaming: app.reportRequest,
    onDelivered: app.metrics.eventDelivered,
    onShutdown: endStreams => app.drain.onDrain(endStreams),
  };
}
