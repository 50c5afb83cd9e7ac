import { loadTrustedDocuments, type OwnDocuments } from '@carte/operations/documents';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type DocumentNode, print, validate } from 'graphql';
import type { Config } from '../config.ts';
import { mountGraphql } from '../graphql/endpoint.ts';
import type { SubscriptionOptions } from '../graphql/subscriptions/mount.ts';
import { once } from './pages/asset.ts';
import { documentsOfPages } from './pages/mount.ts';
import { mountPlayground } from './pages/playground.ts';

/** Mounts `/graphql`. */
export const graphql = fp(
  async (app: FastifyInstance) => {
    const { config, graph, responseCache } = app;
    const { trustedDocuments: list, graphqlLimits: limits } = config;
    await app.register(mountGraphql, {
      schema: graph.publicSchema,
      dependencies: graph.dependencies,
      introspection: config.introspection,
      limits,
      trusted: list === undefined ? undefined : loadTrustedDocuments(list, limits),
      own: ownDocuments(graph, config),
      responseCache,
      authenticate: app.authenticate,
      translateError: app.translateError,
      runRequest: app.runRequest,
      runExpensive: app.runExpensive,
      mountPlayground,
      subscriptions: subscriptionOptions(app),
    });
  },
  {
    name: 'graphql',
    dependencies: [
      ...['address-limit', 'authentication', 'database-errors', 'drain', 'events', 'fair-shares', 'graph'],
      ...['bodies', 'protocol', 'rate-limit', 'requests', 'streams'],
    ],
  },
);

/** What clients may send although an operator's list of trusted documents does not have it. Operations that select what is internal are for their routes alone. */
function ownDocuments({ sets, publicSchema }: FastifyInstance['graph'], { trustedDocuments }: Config): OwnDocuments {
  const textOf = (document: DocumentNode) =>
    validate(publicSchema, document).length === 0 ? print(document) : undefined;
  const operations = new Map(
    sets.flatMap(set => set.operations.map(({ name, document }) => [name, once(() => textOf(document))])),
  );
  return {
    operations: { get: name => operations.get(name)?.() },
    pages: new Set(trustedDocuments === undefined ? [] : documentsOfPages()),
  };
}

/** Events wait for as long as it takes: there are as many as streams. */
const maxEventWaitMs = 24 * 3_600_000;

function subscriptionOptions(app: FastifyInstance): SubscriptionOptions {
  const { config } = app;
  return {
    limits: config.streams,
    streams: app.streams,
    events: {
      feed: app.feed,
      query: app.database.primary,
      cursors: app.graph.dependencies.repositories.events.cursors,
      maxBuffered: config.streams.buffer,
      maxStallMs: config.streams.stallSeconds * 1_000,
    },
    authenticateKey: app.authenticateKey,
    countRequest: app.countMessage,
    addressOf: app.addressOf,
    shareOf: app.shareOf,
    runInTurn: (queue, share, task) => app.sharesOf(share)[queue].run(share.id, task, maxEventWaitMs),
    isAllowedOrigin: request => app.origins.isKnown(request),
    onStreaming: app.reportRequest,
    onDelivered: app.metrics.eventDelivered,
    onShutdown: endStreams => app.drain.onDrain(endStreams),
  };
}
