import type { Query } from '../../database/query.ts';
import type { Event } from '../entities.ts';
import { EventsDeleted, readEvents } from '../log.ts';
import type { DeliveryState } from './entities.ts';
import { messageOf, type RenderOrder } from './message.ts';
import { type Claim, claimSeconds, type Recorded, recordAttempt, releaseQueue } from './queue.ts';
import { maxFailureMs, retryDelaySeconds } from './schedule.ts';
import { type Attempt, defaultTimeoutMs, type Send } from './send.ts';
import { noteOn, pauseFailing, removeGone } from './state.ts';

export interface DeliveryDependencies {
  readonly query: Query;
  readonly send: Send;
  readonly renderOrder: RenderOrder;
  /** Called after every attempt. */
  readonly onAttempt: (claim: Claim, state: DeliveryState, attempt: Attempt) => void;
}

const pageSize = 100;
/** Then other queues get their turn. */
const maxRunMs = 10_000;

/**
 * Delivers the events of a claimed queue, one after the other, until there are no more or one fails. Rejects with the reason of the
 * signal when it aborts; the claim is released in any case, so that another process goes on at once.
 */
export async function deliverQueue(
  claim: Claim,
  { query, send, renderOrder, onAttempt }: DeliveryDependencies,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  let claimedAt = startedAt;
  let { position } = claim;

  /** True if the next event may follow. */
  const deliver = async (event: Event, next: Event | undefined): Promise<boolean> => {
    // Of a process that stood still, the claim may have expired.
    if (performance.now() - claimedAt > claimSeconds * 1000 - defaultTimeoutMs) return false;
    const message = await messageOf(event, claim.subject, renderOrder);
    const attempt = await send(claim.endpoint, message, signal);
    const state = attempt.isDelivered ? 'DELIVERED' : 'FAILING';
    const recordedAt = performance.now();
    const recorded = await recordAttempt(query, claim, { event, next, attempt, state });
    onAttempt(claim, state, attempt);
    if (!recorded) return false;
    claimedAt = recordedAt;
    if (!attempt.isDelivered) return await fail({ event, next, attempt, recorded });
    position = event.position;
    return !recorded.isStopped && recordedAt - startedAt < maxRunMs;
  };

  const fail = async ({ event, next, attempt, recorded }: Failure): Promise<boolean> => {
    if (attempt.status === 410) {
      await removeGone(query, claim.webhookId);
      return false;
    }
    const isPersistent = (since: Date | null) => since !== null && Date.now() - since.getTime() > maxFailureMs;
    if (!isPersistent(recorded.failingSince)) {
      const delaySeconds = retryDelaySeconds(recorded.attempts, attempt.retryAfterSeconds);
      await releaseQueue(query, claim, { delaySeconds });
      return false;
    }
    if (isPersistent(recorded.webhookFailingSince)) {
      await pauseFailing(query, claim.webhookId, attempt);
      return false;
    }
    // The endpoint accepts other messages, so it is this one that it never will.
    await recordAttempt(query, claim, { event, next, attempt, state: 'GIVEN_UP' });
    await noteOn(
      query,
      claim.webhookId,
      `The event of ${event.createdAt.toISOString()} of store ${event.storeId} was given up.`,
    );
    onAttempt(claim, 'GIVEN_UP', attempt);
    position = event.position;
    return true;
  };

  try {
    for (let isFirstPage = true; ; isFirstPage = false) {
      const page = await readKept(query, claim, position);
      const events = page.filter(({ merchantId }) => [null, merchantId].includes(claim.subject.merchantId));
      if (isFirstPage) await noteLostEvents(query, claim, events[0]);
      for (const [index, event] of events.entries()) {
        if (!(await deliver(event, events[index + 1]))) return;
      }
      position = page.at(-1)?.position ?? Math.max(position, claim.newest);
      if (page.length < pageSize) return;
    }
  } finally {
    // Has no effect where the claim is over already.
    await releaseQueue(query, claim, { position });
  }
}

/** Reads the next events of a queue; where the log lacks some, those that it has. */
async function readKept(query: Query, { storeId, kinds }: Claim, after: number): Promise<Event[]> {
  try {
    return await readEvents(query, { after, storeId, kinds, limit: pageSize });
  } catch (error) {
    if (!(error instanceof EventsDeleted)) throw error;
    return await readEvents(query, { after: error.completeAfter, storeId, kinds, limit: pageSize });
  }
}

interface Failure {
  readonly event: Event;
  readonly next: Event | undefined;
  readonly attempt: Attempt;
  readonly recorded: Recorded;
}

/** Tells the operator when the log no longer has the event that the queue waits for. */
async function noteLostEvents(query: Query, { webhookId, storeId, waitingSince }: Claim, first: Event | undefined) {
  if (!waitingSince || first?.createdAt.getTime() === waitingSince.getTime()) return;
  const notice = `Events of store ${storeId} since ${waitingSince.toISOString()} were deleted from the log before they were delivered.`;
  await noteOn(query, webhookId, notice);
}
