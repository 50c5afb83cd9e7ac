import type { EntityManager } from '@mikro-orm/postgresql';
import { readPermissionOf } from '../events/kinds.ts';
import type { Resolvers } from '../generated/graph.ts';
import { connectionResolvers } from '../lists/paging.ts';
import { nodeIdAs } from '../node-id.ts';
import { requireReading } from '../scope.ts';
import { createWebhook, kindsOf, pauseWebhook, removeWebhook, resumeWebhook, rotateSecret } from './commands.ts';
import { noticeOf, stateOf, type Webhook } from './entities.ts';
import {
  type ManualAttempt,
  redeliverMessage,
  rewindWebhook,
  testWebhook,
  type WebhookDependencies,
} from './redeliver.ts';
import { type DeliveryRow, findWebhook } from './repository.ts';

interface WithEntityManager {
  readonly forkEntityManager: () => EntityManager;
}

/** Resolves the webhook of a payload; it exists, because the mutation has just used it. */
const loadWebhook = async (id: string, { forkEntityManager }: WithEntityManager): Promise<Webhook> => {
  const webhook = await findWebhook(forkEntityManager(), id);
  if (!webhook) throw new Error(`Webhook ${id} is gone`);
  return webhook;
};

function delivering({ webhooks }: { readonly webhooks: WebhookDependencies | undefined }) {
  if (!webhooks) throw new Error('This context cannot send webhooks');
  return webhooks;
}

const toPayload = (attempt: ManualAttempt | null) => attempt && { attempt };

export const webhookResolvers = {
  Query: {
    webhooks: (_root, args, { loaders }) => loaders.webhooks.list(args),
    webhook: (_root, { id }, { forkEntityManager }) => findWebhook(forkEntityManager(), id),
  },
  Mutation: {
    createWebhook: async (_root, { input }, context) => {
      const { messages, onChange, ...dependencies } = delivering(context);
      requireReading(context.scope, [...new Set(kindsOf(input, messages).map(readPermissionOf))]);
      messages.operations.get(input.operation ?? '')?.requireReading(context.scope);
      const issued = await createWebhook(context.forkEntityManager(), input, { messages, ...dependencies });
      onChange();
      return issued;
    },
    rotateWebhookSecret: (_root, { input }, { forkEntityManager }) =>
      rotateSecret(forkEntityManager(), input.webhookId),
    pauseWebhook: (_root, { input }, { forkEntityManager }) => pauseWebhook(forkEntityManager(), input.webhookId),
    resumeWebhook: async (_root, { input }, context) => {
      const webhook = await resumeWebhook(context.forkEntityManager(), input.webhookId);
      delivering(context).onChange();
      return webhook;
    },
    removeWebhook: (_root, { input }, { forkEntityManager }) => removeWebhook(forkEntityManager(), input.webhookId),
    testWebhook: async (_root, { input }, context) =>
      toPayload(await testWebhook(context.forkEntityManager(), input.webhookId, delivering(context))),
    redeliverWebhookMessage: async (_root, { input }, context) =>
      toPayload(await redeliverMessage(context.forkEntityManager(), input, delivering(context))),
    redeliverWebhookEvents: async (_root, { input }, context) => {
      const rewound = await rewindWebhook(context.forkEntityManager(), input.webhookId, input.since);
      delivering(context).onChange();
      return rewound;
    },
  },
  CreateWebhookPayload: { webhook: ({ id }, _args, context) => loadWebhook(id, context) },
  RotateWebhookSecretPayload: { webhook: ({ id }, _args, context) => loadWebhook(id, context) },
  PauseWebhookPayload: { webhook: webhook => webhook },
  ResumeWebhookPayload: { webhook: webhook => webhook },
  RemoveWebhookPayload: { webhook: webhook => webhook },
  RedeliverWebhookEventsPayload: {
    webhook: ({ id }, _args, context) => loadWebhook(id, context),
    eventCount: ({ events }) => events,
  },
  WebhookAttempt: {
    webhook: ({ webhookId }, _args, context) => loadWebhook(webhookId, context),
    httpStatus: ({ status }) => status,
  },
  WebhookConnection: connectionResolvers<Webhook>('webhook'),
  WebhookDeliveryConnection: connectionResolvers<DeliveryRow>('delivery'),
  Webhook: {
    nodeId: nodeIdAs('Webhook'),
    merchant: ({ merchant }, _args, { loaders }) => (merchant ? loaders.merchants.byId.load(merchant) : null),
    store: ({ store }, _args, { loaders }) => (store ? loaders.stores.byId.load(store) : null),
    state: webhook => stateOf(webhook),
    notice: webhook => noticeOf(webhook),
    lostEventCount: ({ lostEvents }) => lostEvents,
    waitingSince: ({ id }, _args, { loaders }) => loaders.webhooks.waitingSince.load(id),
    deliveries: ({ id }, args, { loaders }) => loaders.webhooks.deliveries(id, args),
  },
  WebhookDelivery: {
    messageId: ({ position }, _args, { loaders }) => loaders.events.cursors.messageId(position),
    attemptCount: ({ attempts }) => attempts,
    httpStatus: ({ status }) => status,
  },
} satisfies Resolvers;
