import type { Query } from '../database/query.ts';
import type { Event } from '../events/entities.ts';
import { EventsDeleted, readEvents } from '../events/log.ts';
import { noticeStatement, pauseStatement } from './commands.ts';
import type { DeliveryState } from './entities.ts';
import { type MessageDependencies, messageOf, OperationFailed } from './message.ts';
import { type Claim, claimSeconds, type Recorded, readEndpoint, recordAttempt, releaseQueue } from './queue.ts';
import { type Attempt, defaultTimeoutMs, type Send } from './send.ts';

export interface DeliveryDependencies extends MessageDependencies {
  readonly query: Query;
  readonly send: Send;
  /** Called after every attempt. */
  readonly onAttempt: (webhookId: string, state: DeliveryState, attempt: Attempt) => void;
  /** Called with what an operator should know about a webhook. */
  readonly onNotice: (webhookId: string, notice: string) => void;
  readonly onError: (error: unknown) => void;
}

/** An attempt that failed before anything was sent. */
const notSent = ({ message }: Error): Attempt => ({
  isDelivered: false,
  status: null,
  error: message,
  durationMs: 0,
  retryAfterSeconds: null,
});

const pageSize = 100;
/** Then other queues get their turn. */
const maxRunMs = 10_000;
/** An attempt is started only if it ends within the claim. */
const maxClaimAgeMs = claimSeconds * 1000 - defaultTimeoutMs;

const firstDelaySeconds = 5;
const factor = 3;
/** So that an endpoint that has recovered gets what it missed within an hour. */
const maxDelaySeconds = 3600;
/** Each delay is longer or shorter by up to this share, so that the queues of an endpoint do not retry at the same time. */
const jitter = 0.2;

/** A queue that fails for longer pauses its webhook, or gives up its event. Shorter than the retention of the log by default. */
const maxFailureMs = 3 * 24 * 3600 * 1000;

/**
 * Delivers the events of a claimed queue, one after the other, until there are no more or one fails. Rejects when the signal aborts. The claim is
 * released in any case, so that another process goes on at once.
 */
export async function deliverQueue(
  claim: Claim,
  dependencies: DeliveryDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { query, send, cursors, onAttempt, onNotice, onError } = dependencies;
  const { webhookId, storeId, subject, kinds, newest } = claim;
  const startedAt = performance.now();
  let claimedAt = startedAt;
  let { position } = claim;

  try {
    for (;;) {
      const page = await readPage();
      const events = page.filter(({ merchantId }) => [null, merchantId].includes(subject.merchantId));
      for (const [index, event] of events.entries()) {
        if (!(await deliver(event, events[index + 1]))) return;
      }
      position = page.at(-1)?.position ?? Math.max(position, newest);
      if (page.length < pageSize) return;
    }
  } finally {
    // Has no effect where the claim is over already.
    await releaseQueue(query, claim, { position });
  }

  /** Where the log lacks some of the events, which a trigger has recorded then, the page has those after them. */
  async function readPage(): Promise<Event[]> {
    const read = (after: number) => readEvents(query, { after, storeId, kinds, limit: pageSize });
    try {
      return await read(position);
    } catch (error) {
      if (!(error instanceof EventsDeleted)) throw error;
      return await read(error.completeAfter);
    }
  }

  /** Resolves to whether the next event may follow. */
  async function deliver(event: Event, next: Event | undefined): Promise<boolean> {
    const message = await messageOf(event, subject, dependencies).catch(failed);
    // After the order, which a webhook that was paused before must not get.
    const endpoint = await readEndpoint(query, claim);
    // The claim of a process that stood still may have expired.
    if (!endpoint || performance.now() - claimedAt > maxClaimAgeMs) return false;
    if (message === null) {
      position = event.position;
      return true;
    }
    const attempt = message instanceof OperationFailed ? notSent(message) : await send(endpoint, message, signal);
    const state = attempt.isDelivered ? 'DELIVERED' : 'FAILING';
    const recordedAt = performance.now();
    const recorded = await recordAttempt(query, claim, { event, next, attempt, state });
    onAttempt(webhookId, state, attempt);
    if (!recorded) return false;
    claimedAt = recordedAt;
    if (attempt.isDelivered) {
      position = event.position;
      return !recorded.isStopped && recordedAt - startedAt < maxRunMs;
    }
    if (await stopQueue(attempt, recorded)) return false;
    await recordAttempt(query, claim, { event, next, attempt, state: 'GIVEN_UP' });
    onAttempt(webhookId, 'GIVEN_UP', attempt);
    const messageId = await cursors.messageId(event.position);
    await notify(noticeStatement, `The message ${messageId} was given up after three days: ${attempt.error}.`);
    position = event.position;
    return true;
  }

  /** Pauses the webhook, or releases the queue until the next attempt; false if the endpoint accepts other messages, but will never accept this one. */
  async function stopQueue({ status, error, retryAfterSeconds }: Attempt, recorded: Recorded): Promise<boolean> {
    if (status === 410) {
      const advice = 'Remove it, or resume it if the endpoint is back.';
      await notify(pauseStatement, `Paused because the endpoint responded with 410 Gone. ${advice}`);
    } else if (!isPersistent(recorded.failingSince)) {
      await releaseQueue(query, claim, { delaySeconds: retryDelaySeconds(recorded.attempts, retryAfterSeconds) });
    } else if (isPersistent(recorded.webhookFailingSince)) {
      await notify(pauseStatement, `Paused after three days of failures: ${error}.`);
    } else return false;
    return true;
  }

  /** Its reason is for those who see no log. */
  function failed(error: unknown): OperationFailed {
    if (!(error instanceof OperationFailed)) throw error;
    onError(error);
    return error;
  }

  async function notify(statement: string, notice: string): Promise<void> {
    await query(statement, [webhookId, notice]);
    onNotice(webhookId, notice);
  }
}

const isPersistent = (since: Date | null) => since !== null && Date.now() - since.getTime() > maxFailureMs;

/** Seconds until the next attempt after a number of failed ones: 5, 15, 45, … up to an hour, or what the response asks for, up to an hour as well. */
export function retryDelaySeconds(
  attempts: number,
  retryAfterSeconds: number | null,
  random: () => number = Math.random,
): number {
  const delay = Math.min(firstDelaySeconds * factor ** (attempts - 1), maxDelaySeconds);
  const spread = delay * (1 - jitter + 2 * jitter * random());
  return Math.max(spread, Math.min(retryAfterSeconds ?? 0, maxDelaySeconds));
}
