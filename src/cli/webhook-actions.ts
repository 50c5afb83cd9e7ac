import { OperatorError } from '@carte/base/errors';
import type { EntityManager } from '@mikro-orm/postgresql';
import { readConfig } from '../config.ts';
import { queryIn } from '../database/query.ts';
import { EventCursors } from '../events/cursor.ts';
import { type EventKind, eventType } from '../events/kinds.ts';
import { createMessages } from '../server/webhooks.ts';
import * as webhooks from '../webhooks/commands.ts';
import { noticeOf, stateOf, type Webhook } from '../webhooks/entities.ts';
import { type ManualAttempt, redeliverMessage, rewindWebhook, testWebhook } from '../webhooks/redeliver.ts';
import { createWebhookRepository, findWebhook, listWebhooks } from '../webhooks/repository.ts';
import { createSender } from '../webhooks/send.ts';
import { withDatabase } from './database.ts';
import { table, terminal } from './terminal.ts';

export interface CreateOptions {
  readonly url: string;
  readonly merchant?: string;
  readonly store?: string;
  readonly events?: readonly EventKind[];
  readonly operation?: string | null;
}

export async function create({ url, merchant, store, events, operation = null }: CreateOptions): Promise<void> {
  if (!events && operation === null)
    throw new OperatorError('Name the events to send with --events, or an --operation.');
  const input = { url, merchantId: merchant ?? null, storeId: store ?? null, kinds: events ?? null, operation };
  const { webhooks: policy } = readConfig(process.env);
  const issued = await withDatabase(async (em, orm) => {
    // Without one, nothing is loaded.
    const messages = operation === null ? { operations: new Map() } : await createMessages(orm);
    return webhooks.createWebhook(em, input, { policy, messages });
  });
  terminal.out(issued.secret);
  terminal.err(`The id of the webhook is ${issued.id}. Store the secret safely: it is not shown again.`);
}

export async function rotate(id: string): Promise<void> {
  const issued = await withDatabase(em => webhooks.rotateSecret(em, id));
  terminal.out((issued ?? notFound(id)).secret);
}

export const pause = (id: string) => change(id, 'paused', webhooks.pauseWebhook);
export const remove = (id: string) => change(id, 'removed', webhooks.removeWebhook);
export const resume = (id: string) =>
  change(id, 'active', async em => {
    const before = await findWebhook(em, id);
    const notice = before && noticeOf(before);
    return (await webhooks.resumeWebhook(em, id)) && { notice };
  });

/** Prints the notice that the changed webhook has or, once it is active again, had. */
async function change(
  id: string,
  state: string,
  run: (em: EntityManager, id: string) => Promise<Pick<Webhook, 'notice'> | null>,
): Promise<void> {
  const { notice } = (await withDatabase(em => run(em, id))) ?? notFound(id);
  terminal.err(`The webhook ${id} is ${state}.`);
  if (notice) terminal.err(`Its notice was: ${notice}`);
}

export async function test(id: string): Promise<void> {
  report((await withSender((em, dependencies) => testWebhook(em, id, dependencies))) ?? notFound(id));
}

export async function redeliver(id: string, messageId: string | undefined, since: Date | undefined): Promise<void> {
  if ((messageId === undefined) === (since === undefined)) {
    throw new OperatorError('Name the message to send again, or the time with --since.');
  }
  if (messageId !== undefined) {
    const attempt = await withSender((em, dependencies) =>
      redeliverMessage(em, { webhookId: id, messageId }, dependencies),
    );
    return report(attempt ?? notFound(id));
  }
  const { events } = (since && (await withDatabase(em => rewindWebhook(em, id, since)))) ?? notFound(id);
  terminal.err(`${events} events are delivered again by the serving processes.`);
}

function report({ isDelivered, status, error, durationMs, messageId }: ManualAttempt): void {
  if (!isDelivered) throw new OperatorError(`The message ${messageId} was not delivered: ${error}.`);
  terminal.out(`The message ${messageId} was delivered: status ${status} after ${durationMs} ms.`);
}

function notFound(id: string): never {
  throw new OperatorError(`There is no webhook ${id}; \`carte webhook list\` shows them all.`);
}

export function list(): Promise<void> {
  return withDatabase(async em => {
    const found = await listWebhooks(em);
    const ids = found.map(({ id }) => id);
    const waiting = await createWebhookRepository({ em, primary: queryIn(em) }).findWaiting(ids);
    const rows = found.map(webhook => [
      webhook.id,
      webhook.url,
      webhook.merchant ? `merchant ${webhook.merchant}` : `store ${webhook.store}`,
      webhook.kinds.map(eventType).join(','),
      webhook.operation ?? '-',
      webhook.lastDeliveredAt?.toISOString() ?? 'never',
      waiting.get(webhook.id)?.toISOString() ?? '-',
      describeState(webhook),
    ]);
    terminal.out(
      table([['ID', 'URL', 'SCOPE', 'EVENTS', 'OPERATION', 'LAST DELIVERY', 'WAITING SINCE', 'STATE'], ...rows]),
    );
  });
}

function describeState(webhook: Webhook): string {
  const { failingSince } = webhook;
  const notice = noticeOf(webhook);
  const state = stateOf(webhook).toLowerCase();
  const failing = state === 'active' && failingSince ? `failing since ${failingSince.toISOString()}` : state;
  return notice ? `${failing}: ${notice}` : failing;
}

export function deliveries(webhookId: string, limit: number): Promise<void> {
  return withDatabase(async em => {
    if (!(await findWebhook(em, webhookId))) notFound(webhookId);
    const { findDeliveries } = createWebhookRepository({ em, primary: queryIn(em) });
    const page = { size: limit, isBackward: false, after: undefined, before: undefined };
    const [{ nodes: found } = { nodes: [] }] = await findDeliveries([webhookId], page);
    const cursors = new EventCursors(queryIn(em));
    const ids = await Promise.all(found.map(({ position }) => cursors.messageId(position)));
    const rows = found.map((delivery, index) => [
      ids[index] ?? '',
      eventType(delivery.kind),
      delivery.storeId,
      delivery.orderId ?? '-',
      delivery.eventAt.toISOString(),
      delivery.lastAttemptAt.toISOString(),
      String(delivery.attempts),
      `${delivery.state.toLowerCase().replace('_', ' ')}: ${delivery.error ?? `status ${delivery.status}`}`,
    ]);
    const titles = ['MESSAGE', 'EVENT', 'STORE', 'ORDER', 'HAPPENED', 'LAST ATTEMPT', 'ATTEMPTS', 'OUTCOME'];
    terminal.out(table([titles, ...rows]));
  });
}

type Attempt = (em: EntityManager, dependencies: Parameters<typeof testWebhook>[2]) => Promise<ManualAttempt | null>;

/** Sends from this process, so its network decides what can be reached. */
async function withSender(attempt: Attempt): Promise<ManualAttempt | null> {
  const sender = createSender({ policy: readConfig(process.env).webhooks });
  try {
    return await withDatabase(async (em, orm) =>
      attempt(em, {
        send: sender.send,
        cursors: new EventCursors(queryIn(em)),
        messages: await createMessages(orm),
      }),
    );
  } finally {
    sender.close();
  }
}
