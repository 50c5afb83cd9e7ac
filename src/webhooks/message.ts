import type { EventCursors } from '../events/cursor.ts';
import type { Event } from '../events/entities.ts';
import { eventType } from '../events/kinds.ts';
import { type AccessScope, emptyScope } from '../scope.ts';

/** A message by the Standard Webhooks specification. */
export interface Message {
  /** The same for every attempt, so that a receiver recognises repetitions. */
  readonly id: string;
  readonly body: string;
}

/** Renders an order as `GET /v1/orders/{order_service_id}` does; null if it does not exist, or is out of scope. */
export type RenderOrder = (orderId: string, scope: AccessScope) => Promise<Buffer | null>;

export interface MessageDependencies {
  readonly renderOrder: RenderOrder;
  /** For the ids of messages. */
  readonly cursors: EventCursors;
}

/** What a webhook receives events of: a merchant with its stores, or a store. */
export interface Subject {
  readonly merchantId: string | null;
  readonly storeId: string | null;
}

/** In bytes. Larger orders are left out of the message, and their receiver reads them. */
const maxOrderBytes = 256 * 1024;

/**
 * The message of an event. The order is as it is now, not as it was at the event: a receiver that gets a message late, or twice, never
 * overwrites what it knows with something older. The status before and after are those of the event.
 */
export async function messageOf(
  event: Event,
  subject: Subject,
  { renderOrder, cursors }: MessageDependencies,
): Promise<Message> {
  const { kind, position, createdAt, storeId, orderId, statusBefore, status, menuRevision } = event;
  const order = orderId === null ? null : await renderOrder(orderId, scopeOf(subject));
  const data = {
    store_id: storeId,
    ...(orderId !== null && { order_id: orderId }),
    ...(statusBefore !== null && { status_before: statusBefore }),
    ...(status !== null && { status }),
    ...(menuRevision !== null && { revision: menuRevision }),
  };
  const isAttached = order !== null && order.length <= maxOrderBytes;
  const text = JSON.stringify(data).slice(0, -1);
  const dataText = isAttached ? `${text},"order":${order.toString()}}` : `${text}}`;
  const head = JSON.stringify({ type: eventType(kind), timestamp: createdAt.toISOString() }).slice(0, -1);
  return { id: await cursors.messageId(position), body: `${head},"data":${dataText}}` };
}

/** An order of a store that has since moved to another merchant is out of scope. */
function scopeOf({ merchantId, storeId }: Subject): AccessScope {
  return {
    ...emptyScope,
    merchantIds: merchantId === null ? [] : [merchantId],
    storeIds: storeId === null ? [] : [storeId],
  };
}
