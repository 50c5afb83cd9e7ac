import { compileBody } from '@carte/operations/compile-route';
import { type Contract, loadBuiltIn, type MessageOperation } from '@carte/operations/contract/contract';
import { createCostOf } from '@carte/operations/limits/limits';
import { sampleBodyOf } from '@carte/operations/openapi/samples';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { type Config, readConfig } from '../config.ts';
import { createReadAccess } from '../database/pool.ts';
import { createRouteAuthorization } from '../graphql/authorization.ts';
import { type ContextDependencies, createContext, createRepositories } from '../graphql/context.ts';
import { loadSchema } from '../graphql/schema.ts';
import { readMessages } from '../rest/sets.ts';
import type { AccessScope } from '../scope.ts';
import type { MessageDependencies, MessageEvent, Messages } from '../webhooks/message.ts';
import type { WebhookDependencies } from '../webhooks/redeliver.ts';
import { createSender } from '../webhooks/send.ts';
import { createWebhookWorker } from '../webhooks/worker.ts';
import { loadOperations } from './operations.ts';
import { once } from './pages/asset.ts';

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

/** The operation that is the messages of webhooks that name none. */
const ownMessage = 'eventMessage';

/** Compiles the operations of all sets that are messages. */
export function compileMessages(
  schema: GraphQLSchema,
  sets: readonly Contract[],
  dependencies: ContextDependencies,
  { cost: maxCost, objects: maxObjects }: Config['graphqlLimits'],
): Messages {
  const authorize = createRouteAuthorization(schema);
  const costOf = createCostOf(schema);
  const compile = (contract: Contract, operation: MessageOperation) => {
    const { name, document, events, variables } = operation;
    const limits = contract.isBuiltIn ? {} : { maxCost, maxObjects };
    const renderBody = once(() => compileBody(schema, contract, operation, limits));
    const render = async ({ id, event }: MessageEvent, scope: AccessScope) => {
      const given: Readonly<Record<string, unknown>> = { ...event, event: id };
      const values = Object.fromEntries([...variables].map(([variable, key]) => [variable, given[key]]));
      const cost = contract.isBuiltIn ? 0 : costOf(document, name, values);
      const context = createContext({ ...dependencies, ...limits }, scope, { transport: 'REST', cost });
      return renderBody()(values, { ...context, message: { id, event } });
    };
    const requireReading = (scope: AccessScope | undefined) => void authorize([operation], scope ? { scope } : null);
    const sample = name === ownMessage ? undefined : once(() => JSON.stringify(sampleBodyOf(contract, operation)));
    return [name, { events, requireReading, render, sample }] as const;
  };
  const operations = new Map(
    sets.flatMap(contract => contract.messages.map(operation => compile(contract, operation))),
  );
  return {
    operations,
    async render(operation, message, scope) {
      const found = operations.get(operation ?? ownMessage);
      if (!found) throw new Error(`No set has the operation ${operation}`);
      return found.render(message, scope);
    },
  };
}

/** For commands, which have no server. */
export async function createMessages(orm: MikroORM): Promise<Messages> {
  const config = readConfig(process.env);
  const schema = loadSchema();
  const dependencies = { orm, repositories: createRepositories(await createReadAccess(orm)) };
  return compileMessages(schema, loadOperations(schema, config), dependencies, config.graphqlLimits);
}

/** Renders orders as the message `orderMessage`, for commands; null if there is no such order. */
export async function createOrderRenderer(orm: MikroORM) {
  const schema = loadSchema();
  const dependencies = { orm, repositories: createRepositories(await createReadAccess(orm)) };
  const contract = loadBuiltIn(schema, readMessages());
  const operation = contract.messages.find(({ name }) => name === 'orderMessage');
  if (!operation) throw new Error('There is no operation orderMessage');
  const renderBody = compileBody(schema, contract, operation);
  return (orderId: string, scope: AccessScope) => renderBody({ order_id: orderId }, createContext(dependencies, scope));
}
