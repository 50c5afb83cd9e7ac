import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EventKind } from '../events/kinds.ts';
import type { WebhookState } from '../generated/graph.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { StoreEntity } from '../store/entities.ts';

/** An endpoint that receives events of a merchant's stores, or of one store: exactly one of the two. */
export const WebhookEntity = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  checks: [{ name: 'webhook_one_subject', expression: 'num_nonnulls(merchant_id, store_id) = 1' }],
  properties: {
    id: p.text().primary().collation('C'),
    url: p.text(),
    // Deleted with its subject, so that a later merchant or store of the same id does not inherit it.
    merchant: () => p.manyToOne(MerchantEntity).mapToPk().nullable().deleteRule('cascade').index(),
    store: () => p.manyToOne(StoreEntity).mapToPk().nullable().deleteRule('cascade').index(),
    kinds: p.array().$type<readonly EventKind[]>(),
    /** The operation that is its messages; null for those of Carte. */
    operation: p.text().nullable(),
    /** Readable, since messages are signed with it; empty once the webhook is removed. */
    secret: p.text().lazy().hidden(),
    /** The secret before the last rotation, which is valid until the time beside it. */
    previousSecret: p.text().nullable().lazy().hidden(),
    previousSecretExpiresAt: p.datetime(3).nullable(),
    /** Events after this position of the log are delivered. */
    startPosition: p.bigint('number'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** With a precision of two seconds: deliveries to one endpoint would otherwise all write this row. */
    lastDeliveredAt: p.datetime(3).nullable(),
    /** Since when every attempt has failed; null after a success. */
    failingSince: p.datetime(3).nullable(),
    pausedAt: p.datetime(3).nullable(),
    removedAt: p.datetime(3).nullable(),
    /** What an operator should know: why the service paused the webhook, or what it could not deliver. */
    notice: p.text().nullable(),
    /** Events that were deleted from the log before they were delivered, and when the first and the last of them happened: a trigger counts them. */
    lostEvents: p.bigint('number').defaultRaw('0'),
    lostFrom: p.datetime(3).nullable(),
    lostTo: p.datetime(3).nullable(),
  },
});

export type Webhook = InferEntity<typeof WebhookEntity>;

export function stateOf({ pausedAt, removedAt }: Pick<Webhook, 'pausedAt' | 'removedAt'>): WebhookState {
  if (removedAt) return 'REMOVED';
  return pausedAt ? 'PAUSED' : 'ACTIVE';
}

/** What an operator should know about a webhook. */
export function noticeOf({ notice, lostEvents, lostFrom, lostTo }: Webhook): string | null {
  if (lostEvents === 0) return notice ?? null;
  const times = `from ${lostFrom?.toISOString()} to ${lostTo?.toISOString()}`;
  const loss = `Events that were deleted from the log before they were delivered: ${lostEvents}, ${times}.`;
  return notice ? `${notice} ${loss}` : loss;
}

/** The events of one store for one webhook. They are delivered in order, so a failure blocks this queue and no other. */
export const WebhookQueueEntity = defineEntity({
  name: 'WebhookQueue',
  tableName: 'webhook_queue',
  indexes: [
    {
      name: 'webhook_queue_due',
      expression: 'create index webhook_queue_due on webhook_queue (next_attempt_at) where newest > position',
    },
  ],
  properties: {
    webhook: () => p.manyToOne(WebhookEntity).mapToPk().primary().deleteRule('cascade').index(false),
    // No foreign key: that a store was deleted is an event of it, too.
    storeId: p.text().collation('C').primary(),
    /** The last event that was delivered, or given up. */
    position: p.bigint('number'),
    /** The last event of the log for this queue; there is something to deliver while it is greater than `position`. */
    newest: p.bigint('number'),
    /** A process that claims the queue moves it into the future; if the process dies, another one takes over then. */
    nextAttemptAt: p.datetime(3).defaultRaw('now()'),
    claim: p.uuid().nullable(),
    /** Failed attempts to deliver the next event. */
    attempts: p.integer().default(0),
    failingSince: p.datetime(3).nullable(),
    /** When the oldest event that is not delivered happened. */
    waitingSince: p.datetime(3).nullable(),
  },
});

export const deliveryStates = ['DELIVERED', 'FAILING', 'GIVEN_UP'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What became of an event, after its last attempt. */
export const WebhookDeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  indexes: [{ name: 'webhook_delivery_by_time', properties: ['lastAttemptAt'] }],
  properties: {
    webhook: () => p.manyToOne(WebhookEntity).mapToPk().primary().deleteRule('cascade').index(false),
    position: p.bigint('number').primary(),
    kind: p.text().$type<EventKind>(),
    storeId: p.text().collation('C'),
    orderId: p.text().collation('C').nullable(),
    eventAt: p.datetime(3),
    state: p.enum(deliveryStates),
    attempts: p.integer(),
    lastAttemptAt: p.datetime(3),
    /** The HTTP status of the last attempt. */
    status: p.integer().nullable(),
    error: p.text().nullable(),
    durationMs: p.integer(),
  },
});

/** One row: up to which position the events of the log are in the queues. */
export const WebhookProgressEntity = defineEntity({
  name: 'WebhookProgress',
  tableName: 'webhook_progress',
  properties: {
    id: p.integer().primary().autoincrement(false),
    position: p.bigint('number'),
  },
});
