import { toHttpError } from '@carte/operations/errors';
import type { EventCursors } from '../events/cursor.ts';
import type { Event } from '../events/entities.ts';
import { type AccessScope, emptyScope } from '../scope.ts';

/** A message by the Standard Webhooks specification. */
export interface Message {
  /** The same for every attempt, so that a receiver recognises repetitions. */
  readonly id: string;
  readonly body: string;
}

/** An event whose message is rendered, and the id of that. */
export interface MessageEvent {
  readonly id: string;
  readonly event: Event;
}

/** The operations of all sets that are messages. */
export interface Messages {
  /** By name; each says of which events, and throws `Forbidden` for a key that may not read what it selects. */
  readonly operations: ReadonlyMap<string, MessageShape>;
  /** Renders the message of an event by an operation, or else as Carte's own; null where it has no body, e.g. of an order that was deleted. */
  readonly render: (operation: string | null, message: MessageEvent, scope: AccessScope) => Promise<Buffer | null>;
}

export interface MessageShape {
  readonly events: readonly string[];
  readonly requireReading: (scope: AccessScope | undefined) => void;
  /** A message in this shape that is of no event; undefined for that of Carte, which has a type of its own for tests. */
  readonly sample?: (() => string) | undefined;
}

export interface MessageDependencies {
  readonly messages: Messages;
  /** For the ids of messages. */
  readonly cursors: EventCursors;
}

/** What a webhook receives events of, a merchant with its stores or a store, and the operation that is its messages. */
export interface Subject {
  readonly merchantId: string | null;
  readonly storeId: string | null;
  readonly operation: string | null;
}

/** The operation of a webhook could not be executed. */
export class OperationFailed extends Error {}

/**
 * The message of an event. What it has of an order is as it is now, not as it was at the event: a receiver that gets a message late, or twice, never
 * overwrites what it knows with something older. The status before and after are those of the event. Null if the operation has nothing to send;
 * throws `OperationFailed` if that of the webhook fails.
 */
export async function messageOf(
  event: Event,
  subject: Subject,
  { messages, cursors }: MessageDependencies,
): Promise<Message | null> {
  const id = await cursors.messageId(event.position);
  const { operation } = subject;
  try {
    const body = await messages.render(operation, { id, event }, scopeOf(subject));
    return body && { id, body: body.toString() };
  } catch (cause) {
    if (operation === null) throw cause;
    throw new OperationFailed(`the operation ${operation} failed: ${reasonOf(cause)}`, { cause });
  }
}

/** Reasons end the sentences of others. */
export const withoutFullStop = (reason: string): string => reason.replace(/\.$/, '');

/** What others than those who see the log may know. */
function reasonOf(error: unknown): string {
  const { detail = 'Internal server error' } = toHttpError(error) ?? {};
  const reason = typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join(' ');
  return withoutFullStop(reason);
}

/** An order of a store that has since moved to another merchant is out of scope. */
function scopeOf({ merchantId, storeId }: Omit<Subject, 'operation'>): AccessScope {
  return {
    ...emptyScope,
    merchantIds: merchantId === null ? [] : [merchantId],
    storeIds: storeId === null ? [] : [storeId],
  };
}

/** What processes compare webhooks with: each operation that they have, with each event of it. */
export const knownOperations = ({ operations }: Messages): string[] =>
  [...operations].flatMap(([name, { events }]) => events.map(event => `${name} ${event}`));

/** SQL: whether a process with these operations can deliver the events of a webhook `w`. */
export const isKnown = (parameter: string) =>
  `(w.operation is null or not exists (
    select from unnest(w.kinds) kind where w.operation || ' ' || kind <> all (${parameter}::text[])
  ))`;
