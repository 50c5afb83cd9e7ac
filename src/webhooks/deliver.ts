import type { Query } from '../database/query.ts';
import type { Event } from '../events/entities.ts';
import { EventsDeleted, readEvents } from '../events/log.ts';
import { noticeStatement, pauseStatement } from './commands.ts';
import type { DeliveryState } from './entities.ts';
import { type MessageDependencies, messageOf } from './message.ts';
import {
  type Claim,
  claimSeconds,
  type Recorded,
  type RecordOptions,
  readEndpoint,
  recordAttempt,
  releaseQueue,
} from './queue.ts';
import { type Attempt, defaultTimeoutMs, type Send } from './send.ts';

export interface DeliveryDependencies extends MessageDependencies {
  readonly query: Query;
  readonly send: Send;
  /** Called after every attempt. */
  readonly onAttempt: (webhookId: string, state: DeliveryState, attempt: Attempt) => void;
  /** Called with what an operator should know about a webhook. */
  readonly onNotice: (webhookId: string, notice: string) => void;
}

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

/** Delivers the events of a claimed queue, one after the other, until there are no more or one fails. */
export class QueueDelivery {
  readonly #claim: Claim;
  readonly #dependencies: DeliveryDependencies;
  readonly #startedAt = performance.now();
  #claimedAt = this.#startedAt;
  #position: number;

  constructor(claim: Claim, dependencies: DeliveryDependencies) {
    this.#claim = claim;
    this.#dependencies = dependencies;
    this.#position = claim.position;
  }

  /** Rejects when the signal aborts. The claim is released in any case, so that another process goes on at once. */
  async run(signal: AbortSignal): Promise<void> {
    const { query } = this.#dependencies;
    const { subject, newest } = this.#claim;
    try {
      for (;;) {
        const page = await this.#readPage();
        const events = page.filter(({ merchantId }) => [null, merchantId].includes(subject.merchantId));
        for (const [index, event] of events.entries()) {
          if (!(await this.#deliver(event, events[index + 1], signal))) return;
        }
        this.#position = page.at(-1)?.position ?? Math.max(this.#position, newest);
        if (page.length < pageSize) return;
      }
    } finally {
      // Has no effect where the claim is over already.
      await releaseQueue(query, this.#claim, { position: this.#position });
    }
  }

  /** Where the log lacks some of the events, which a trigger has recorded then, the page has those after them. */
  async #readPage(): Promise<Event[]> {
    const { storeId, kinds } = this.#claim;
    const read = (after: number) => readEvents(this.#dependencies.query, { after, storeId, kinds, limit: pageSize });
    try {
      return await read(this.#position);
    } catch (error) {
      if (!(error instanceof EventsDeleted)) throw error;
      return await read(error.completeAfter);
    }
  }

  /** Resolves to whether the next event may follow. */
  async #deliver(event: Event, next: Event | undefined, signal: AbortSignal): Promise<boolean> {
    const { query, send, onAttempt } = this.#dependencies;
    const message = await messageOf(event, this.#claim.subject, this.#dependencies);
    // After the order, which a webhook that was paused before must not get.
    const endpoint = await readEndpoint(query, this.#claim);
    // The claim of a process that stood still may have expired.
    if (!endpoint || performance.now() - this.#claimedAt > maxClaimAgeMs) return false;
    const attempt = await send(endpoint, message, signal);
    const state = attempt.isDelivered ? 'DELIVERED' : 'FAILING';
    const recordedAt = performance.now();
    const recorded = await recordAttempt(query, this.#claim, { event, next, attempt, state });
    onAttempt(this.#claim.webhookId, state, attempt);
    if (!recorded) return false;
    this.#claimedAt = recordedAt;
    if (!attempt.isDelivered) return await this.#fail({ event, next, attempt, recorded });
    this.#position = event.position;
    return !recorded.isStopped && recordedAt - this.#startedAt < maxRunMs;
  }

  async #fail({ event, next, attempt, recorded }: Failure): Promise<boolean> {
    const { query, cursors, onAttempt } = this.#dependencies;
    if (attempt.status === 410) {
      const notice =
        'Paused because the endpoint responded with 410 Gone. Remove it, or resume it if the endpoint is back.';
      await this.#notify(pauseStatement, notice);
      return false;
    }
    if (!isPersistent(recorded.failingSince)) {
      const delaySeconds = retryDelaySeconds(recorded.attempts, attempt.retryAfterSeconds);
      await releaseQueue(query, this.#claim, { delaySeconds });
      return false;
    }
    if (isPersistent(recorded.webhookFailingSince)) {
      await this.#notify(pauseStatement, `Paused after three days of failures: ${attempt.error}.`);
      return false;
    }
    // The endpoint accepts other messages, so it is this one that it never will.
    await recordAttempt(query, this.#claim, { event, next, attempt, state: 'GIVEN_UP' });
    onAttempt(this.#claim.webhookId, 'GIVEN_UP', attempt);
    const messageId = await cursors.messageId(event.position);
    await this.#notify(noticeStatement, `The message ${messageId} was given up after three days: ${attempt.error}.`);
    this.#position = event.position;
    return true;
  }

  async #notify(statement: string, notice: string): Promise<void> {
    const { query, onNotice } = this.#dependencies;
    await query(statement, [this.#claim.webhookId, notice]);
    onNotice(this.#claim.webhookId, notice);
  }
}

interface Failure extends Omit<RecordOptions, 'state'> {
  readonly recorded: Recorded;
}

const isPersistent = (since: Date | null) => since !== null && Date.now() - since.getTime() > maxFailureMs;

/** Seconds until the next attempt after a number of failed ones: 5, 15, 45, … up to an hour, or longer if the response asks for it. */
export function retryDelaySeconds(
  attempts: number,
  retryAfterSeconds: number | null,
  random: () => number = Math.random,
): number {
  const delay = Math.min(firstDelaySeconds * factor ** (attempts - 1), maxDelaySeconds);
  const spread = delay * (1 - jitter + 2 * jitter * random());
  return Math.max(spread, Math.min(retryAfterSeconds ?? 0, maxDelaySeconds));
}
