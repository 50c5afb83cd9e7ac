import type { EntityManager } from '@mikro-orm/postgresql';
import { type Config, readConfig } from '../config.ts';
import { queryIn } from '../database/query.ts';
import { EventCursors } from '../events/cursor.ts';
import { eventType } from '../events/kinds.ts';
import type { CreateWebhookInput } from '../generated/graph.ts';
import { createOrderRenderer } from '../server/webhooks.ts';
import * as webhooks from '../webhooks/commands.ts';
import { noticeOf, stateOf, type Webhook } from '../webhooks/entities.ts';
import { type ManualAttempt, redeliverMessage, rewindWebhook, testWebhook } from '../webhooks/redeliver.ts';
import { createWebhookRepository, findWebhook, listWebhooks } from '../webhooks/repository.ts';
import { createSender } from '../webhooks/send.ts';
import { withDatabase } from './database.ts';

export function create(request: CreateWebhookInput): Promise<webhooks.IssuedSecret> {
  return withDatabase(em => webhooks.createWebhook(em, request, readConfig(process.env).webhooks));
}

export const rotate = (id: string) => withDatabase(em => webhooks.rotateSecret(em, id));
export const pause = (id: string) => withDatabase(em => webhooks.pauseWebhook(em, id));
/** Resumes a webhook; returns the notice that it had. Null if there is no such webhook. */
export const resume = (id: string) =>
  withDatabase(async em => {
    const before = await findWebhook(em, id);
    const notice = before && noticeOf(before);
    return (await webhooks.resumeWebhook(em, id)) && { notice };
  });
export const remove = (id: string) => withDatabase(em => webhooks.removeWebhook(em, id));

export const test = (id: string) => withSender((em, dependencies) => testWebhook(em, id, dependencies));

export const redeliver = (id: string, message: string) =>
  withSender((em, dependencies) => redeliverMessage(em, { id, messageId: message }, dependencies));

export const redeliverSince = (id: string, since: Date) => withDatabase(em => rewindWebhook(em, id, since));

type Rows = readonly (readonly string[])[];

/** The table of all webhooks. */
export function list(): Promise<Rows> {
  return withDatabase(async em => {
    const found = await listWebhooks(em);
    const ids = found.map(({ id }) => id);
    const waiting = await createWebhookRepository({ primary: queryIn(em) }).findWaiting(ids);
    return [
      ['ID', 'URL', 'SCOPE', 'EVENTS', 'LAST DELIVERY', 'WAITING SINCE', 'STATE'],
      ...found.map(webhook => [
        webhook.id,
        webhook.url,
        webhook.merchant ? `merchant ${webhook.merchant}` : `store ${webhook.store}`,
        webhook.kinds.map(eventType).join(','),
        webhook.lastDeliveredAt?.toISOString() ?? 'never',
        waiting.get(webhook.id)?.toISOString() ?? '-',
        describeState(webhook),
      ]),
    ];
  });
}

function describeState(webhook: Webhook): string {
  const { failingSince } = webhook;
  const notice = noticeOf(webhook);
  const state = stateOf(webhook).toLowerCase();
  const failing = state === 'active' && failingSince ? `failing since ${failingSince.toISOString()}` : state;
  return notice ? `${failing}: ${notice}` : failing;
}

/** The table of a webhook's deliveries; null if there is no such webhook. */
export function deliveries(id: string, limit: number): Promise<Rows | null> {
  return withDatabase(async em => {
    if (!(await findWebhook(em, id))) return null;
    const { findDeliveries } = createWebhookRepository({ primary: queryIn(em) });
    const found = (await findDeliveries([id], { skip: 0, limit })).get(id) ?? [];
    const cursors = new EventCursors(queryIn(em));
    const ids = await Promise.all(found.map(({ position }) => cursors.messageId(position)));
    return [
      ['MESSAGE', 'EVENT', 'STORE', 'ORDER', 'HAPPENED', 'LAST ATTEMPT', 'ATTEMPTS', 'OUTCOME'],
      ...found.map((delivery, index) => [
        ids[index] ?? '',
        eventType(delivery.kind),
        delivery.storeId,
        delivery.orderId ?? '-',
        delivery.eventAt.toISOString(),
        delivery.lastAttemptAt.toISOString(),
        String(delivery.attempts),
        `${delivery.state.toLowerCase().replace('_', ' ')}: ${delivery.error ?? `status ${delivery.status}`}`,
      ]),
    ];
  });
}

type Attempt = (em: EntityManager, dependencies: Parameters<typeof testWebhook>[2]) => Promise<ManualAttempt | null>;

/** Sends from this process, so its network decides what can be reached. */
async function withSender(attempt: Attempt): Promise<ManualAttempt | null> {
  const config: Config = readConfig(process.env);
  const sender = createSender({ policy: config.webhooks });
  try {
    return await withDatabase(async (em, orm) =>
      attempt(em, {
        send: sender.send,
        cursors: new EventCursors(queryIn(em)),
        // Compiled only where there is an order to render.
        renderOrder: async (orderId, scope) => (await createOrderRenderer(orm))(orderId, scope),
      }),
    );
  } finally {
    sender.close();
  }
}
