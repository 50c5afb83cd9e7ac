import { readFileSync } from 'node:fs';
import { compileBody, compileQuery } from '@carte/operations/compile-route';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyInstance } from 'fastify';
import { parse } from 'graphql';
import { createReadAccess } from '../database/pool.ts';
import { type ContextDependencies, createContext, createRepositories } from '../graphql/context.ts';
import { loadSchema } from '../graphql/schema.ts';
import { loadContract } from '../rest/contract.ts';
import type { MessageDependencies, RenderOrder } from '../webhooks/message.ts';
import type { WebhookDependencies } from '../webhooks/redeliver.ts';
import { createSender } from '../webhooks/send.ts';
import { createWebhookWorker } from '../webhooks/worker.ts';

const detailsFiles = ['webhooks/order.graphql', 'pos/order-details.graphql'].map(
  file => new URL(`../../schema/${file}`, import.meta.url),
);

/** Delivers webhooks while the server runs, unless this is switched off. */
export function deliverWebhooks(app: FastifyInstance, message: MessageDependencies): WebhookDependencies {
  const { config, database, feed, metrics } = app;
  const sender = createSender({ policy: config.webhooks });
  let lostEvents = 0;
  const worker = createWebhookWorker({
    orm: database.orm,
    query: database.primary,
    feed,
    ...message,
    send: sender.send,
    retentionDays: config.keepEvents.days,
    onAttempt(webhookId, state, { status, error, durationMs }) {
      metrics.webhookAttempted(state, durationMs / 1000);
      if (state !== 'DELIVERED')
        app.log.info({ webhook: webhookId, state, status, error }, 'A webhook was not delivered');
    },
    onNotice: (webhookId, notice) => app.log.warn({ webhook: webhookId }, notice),
    onStatus(status) {
      metrics.webhookStatus(status);
      if (status.lostEvents > lostEvents)
        app.log.warn('Events were deleted from the log before webhooks received them: see carte webhook list');
      lostEvents = status.lostEvents;
    },
    onError: error => app.log.warn({ err: error }, 'Webhooks could not be processed'),
  });
  if (config.webhooks.deliver) app.addHook('onReady', async () => worker.start());
  app.addHook('onClose', async () => {
    await worker.close();
    sender.close();
  });
  const onChange = () => {
    if (config.webhooks.deliver) worker.wake();
  };
  return { policy: config.webhooks, ...message, send: sender.send, onChange };
}

/** Renders orders as `GET /v1/orders/{order_service_id}` does, with the operation of that route, and adds the fields that it does not have. */
export function compileOrderRenderer(dependencies: ContextDependencies): RenderOrder {
  const schema = loadSchema();
  const renderBody = compileBody(schema, loadContract(schema), 'getOrder');
  const document = parse(detailsFiles.map(file => readFileSync(file, 'utf8')).join('\n'));
  const renderDetails = compileQuery(schema, document, 'getOrderDetails');
  return async (orderId, scope) => {
    const variables = { order_service_id: orderId };
    // One context, so that the order is loaded once.
    const context = createContext(dependencies, scope);
    const [body, details] = await Promise.all([renderBody(variables, context), renderDetails(variables, context)]);
    return body && details && Buffer.concat([body.subarray(0, -1), Buffer.from(','), details.subarray(1)]);
  };
}

/** For commands, which have no server. */
export async function createOrderRenderer(orm: MikroORM): Promise<RenderOrder> {
  return compileOrderRenderer({ orm, repositories: createRepositories(await createReadAccess(orm)) });
}
