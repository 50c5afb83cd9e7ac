import { randomUUID } from 'node:crypto';
import { InvalidInput } from '@carte/base/errors';
import type { EntityManager } from '@mikro-orm/postgresql';
import { queryIn } from '../database/query.ts';
import type { Event } from '../events/entities.ts';
import { EventsDeleted, lastPossible, readEvents, timeOf } from '../events/log.ts';
import type { AddressPolicy } from './address.ts';
import { rejectRemoved, removed, unknownOperation } from './commands.ts';
import type { Webhook } from './entities.ts';
import { type Message, type MessageDependencies, messageOf, OperationFailed, type Subject } from './message.ts';
import { endpointColumns } from './queue.ts';
import { findWebhook } from './repository.ts';
import type { Attempt, Endpoint, Send } from './send.ts';

/** What a message that somebody asked for needs beside the database. */
export interface ManualDependencies extends MessageDependencies {
  readonly send: Send;
}

/** What mutations need beside the database. */
export interface WebhookDependencies extends ManualDependencies {
  readonly policy: AddressPolicy;
  /** Called when there may be something to deliver. */
  readonly onChange: () => void;
}

/** An attempt that somebody asked for; its parent webhook is resolved by id. */
export interface ManualAttempt extends Attempt {
  readonly webhookId: string;
  readonly messageId: string;
}

/**
 * Sends a message of the type `webhook.test`, or a sample in the shape of the operation of the webhook, once and now, also if it is paused. Null if there
 * is no such webhook.
 */
export async function testWebhook(
  em: EntityManager,
  id: string,
  dependencies: ManualDependencies,
): Promise<ManualAttempt | null> {
  const webhook = await findWebhook(em, id);
  if (!webhook) return null;
  const { operation } = webhook;
  const shape = dependencies.messages.operations.get(operation ?? '');
  if (operation != null && !shape) throw fail(unknownOperation(operation));
  const ofCarte = { type: 'webhook.test', timestamp: new Date().toISOString(), data: { webhook_id: id } };
  const body = shape?.sample?.() ?? JSON.stringify(ofCarte);
  return sendNow(em, webhook, { id: `msg_test_${randomUUID()}`, body }, dependencies);
}

/**
 * Sends the message of an event again, once and now. It does not wait for other events of the store, and they do not wait for it. Null if
 * there is no such webhook; throws `InvalidInput` if the event is not one of the webhook's, or no longer in the log.
 */
export async function redeliverMessage(
  em: EntityManager,
  { webhookId, messageId }: { readonly webhookId: string; readonly messageId: string },
  dependencies: ManualDependencies,
): Promise<ManualAttempt | null> {
  const webhook = await findWebhook(em, webhookId);
  if (!webhook) return null;
  const event = await findEvent(em, webhook, await dependencies.cursors.positionOfMessage(messageId));
  if (!event) {
    const message = `The log has no event of the webhook ${webhookId} with the message id ${JSON.stringify(messageId)}.`;
    throw new InvalidInput([{ path: ['messageId'], type: 'reference_not_found', message }]);
  }
  const { merchant = null, store = null, operation = null } = webhook;
  const message = await renderNow(event, { merchantId: merchant, storeId: store, operation }, dependencies);
  const attempt = await sendNow(em, webhook, message, dependencies);
  const state = attempt.isDelivered ? 'DELIVERED' : 'FAILING';
  await em.execute(recordStatement, [
    ...[webhookId, state, webhookId, event.storeId, event.position, state, event.kind, event.orderId],
    ...[event.createdAt, attempt.status, attempt.error, attempt.durationMs],
  ]);
  return attempt;
}

const fail = (message: string) => new InvalidInput([{ path: ['webhookId'], type: 'value_error', message }]);

async function renderNow(event: Event, subject: Subject, dependencies: ManualDependencies): Promise<Message> {
  const { operation } = subject;
  if (operation !== null && !dependencies.messages.operations.get(operation)?.events.includes(event.kind)) {
    throw fail(unknownOperation(operation, event.kind));
  }
  const message = await messageOf(event, subject, dependencies).catch(error => {
    throw error instanceof OperationFailed ? fail(`Nothing was sent: ${error.message}.`) : error;
  });
  if (!message) throw fail(`The operation ${operation} has nothing to send for this event.`);
  return message;
}

async function findEvent(
  em: EntityManager,
  webhook: Webhook,
  position: number | undefined,
): Promise<Event | undefined> {
  if (position === undefined) return undefined;
  const [event] = await readEvents(queryIn(em), { after: position - 1, limit: 1 }).catch(error => {
    if (!(error instanceof EventsDeleted)) throw error;
    if (position > webhook.startPosition) throw expired('messageId', error);
    return [];
  });
  const isOfWebhook =
    event?.position === position &&
    // An earlier one may be of a store that had the same id before.
    position > webhook.startPosition &&
    webhook.kinds.includes(event.kind) &&
    (event.storeId === webhook.store || (event.merchantId !== null && event.merchantId === webhook.merchant));
  return isOfWebhook ? event : undefined;
}

function expired(argument: string, { completeAfter }: EventsDeleted): InvalidInput {
  const message = `the log no longer has this, only events after ${timeOf(completeAfter)}: read the current state`;
  return new InvalidInput([{ path: [argument], type: 'cursor_expired', message }]);
}

const endpointStatement = `select ${endpointColumns} from webhook w where w.id = $1 and w.removed_at is null`;

async function sendNow(
  em: EntityManager,
  { id }: Webhook,
  message: Message,
  { send }: ManualDependencies,
): Promise<ManualAttempt> {
  const [endpoint] = await queryIn(em)<Endpoint>(endpointStatement, [id]);
  if (!endpoint) throw removed(id);
  return { ...(await send(endpoint, message)), webhookId: id, messageId: message.id };
}

/** An event that was delivered before stays delivered, whatever became of its repetition. */
const recordStatement = `
  with delivered as (
    update webhook set last_delivered_at = now() where id = ? and ? = 'DELIVERED'
  )
  insert into webhook_delivery as d
    (webhook_id, store_id, position, state, kind, order_id, event_at, attempts, last_attempt_at, status, error, duration_ms)
  values (?, ?, ?, ?, ?, ?, ?, 1, now(), ?, ?, ?)
  on conflict (webhook_id, position) do update set
    state = case when excluded.state = 'DELIVERED' then excluded.state else d.state end,
    attempts = d.attempts + 1, last_attempt_at = now(),
    status = excluded.status, error = excluded.error, duration_ms = excluded.duration_ms`;

/** How many events are delivered again; the webhook is resolved by its id. */
export interface Rewound {
  readonly id: string;
  readonly events: number;
}

/** Deliveries in progress lose their claims, so they stop after the message that they are sending; nothing is sent before that. */
const rewindStatement = `
  with due as (
    select e.store_id, min(e.position) as first, max(e.position) as newest, count(*) as events,
      (array_agg(e.created_at order by e.position))[1] as waiting_since
    from event e join webhook w on w.store_id = e.store_id or w.merchant_id = e.merchant_id
    where w.id = $1 and e.kind = any (w.kinds) and e.position >= $2 and e.position > w.start_position
      and (e.position <= ${lastPossible} or e.created_at >= $3)
      and e.position <= (select position from webhook_progress)
    group by e.store_id
  ), rewound as (
    insert into webhook_queue as q (webhook_id, store_id, position, newest, waiting_since)
    select $1, store_id, first - 1, newest, waiting_since from due order by store_id
    on conflict (webhook_id, store_id) do update set
      position = excluded.position, newest = greatest(q.newest, excluded.newest), waiting_since = excluded.waiting_since,
      next_attempt_at = case when q.claim is null then now() else q.next_attempt_at end,
      claim = null, attempts = 0, failing_since = null
    where q.position > excluded.position
  )
  select coalesce(sum(events), 0)::int as events from due`;

/**
 * Delivers the events since a time again, in order: for a receiver that has lost what it had accepted. Null if there is no such webhook; throws
 * `InvalidInput` if the log no longer has all of them.
 */
export async function rewindWebhook(em: EntityManager, id: string, since: Date): Promise<Rewound | null> {
  const webhook = rejectRemoved(await findWebhook(em, id));
  if (!webhook) return null;
  // Positions are times in microseconds; the time of an event is rounded to milliseconds, so it may be a little after its position.
  const position = (since.getTime() - 1) * 1000;
  const query = queryIn(em);
  // Throws if the log is not complete from there on.
  await readEvents(query, { after: Math.max(position, webhook.startPosition), limit: 1 }).catch(error => {
    throw error instanceof EventsDeleted ? expired('since', error) : error;
  });
  const [row] = await query<{ events: number }>(rewindStatement, [id, position, since]);
  return { id, events: row?.events ?? 0 };
}
