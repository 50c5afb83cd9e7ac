import type { MikroORM } from '@mikro-orm/postgresql';
import { prepared, type Query } from '../database/query.ts';
import type { EventFeed } from '../events/feed.ts';
import { runAsWorker } from '../scheduling/current-request.ts';
import { type DeliveryDependencies, deliverQueue } from './deliver.ts';
import { type Claim, claimQueues, enqueueEvents } from './queue.ts';

/** Queues that a process delivers at the same time: of all webhooks, and of one, so that one that hangs does not stop the others. */
const maxQueues = 128;
const maxQueuesOfWebhook = 8;
/** Retries are due at any time, and a notification may get lost. */
const pollIntervalMs = 1_000;
/** While there is no webhook, or the database does not respond. */
const idleIntervalMs = 5_000;
const statusIntervalMs = 15_000;
const cleanUpIntervalMs = 600_000;
/** After it, attempts in progress are aborted at a shutdown; they are repeated. */
const closeTimeoutMs = 3_000;

/** The state of all webhooks, for metrics. */
export interface WebhookStatus {
  readonly active: number;
  readonly paused: number;
  /** Age of the oldest event that was not delivered to an active webhook. */
  readonly lagSeconds: number;
  /** Events that were deleted from the log before they were delivered, of webhooks that were not resumed since. */
  readonly lostEvents: number;
}

export interface WebhookWorkerOptions extends DeliveryDependencies {
  readonly orm: MikroORM;
  readonly feed: EventFeed;
  /** For so many days deliveries are listed. */
  readonly retentionDays: number;
  readonly onStatus: (status: WebhookStatus) => void;
  readonly onError: (error: unknown) => void;
}

/** Delivers events to webhooks. Every serving process has one; the database decides which of them delivers a queue. */
export class WebhookWorker {
  readonly #options: WebhookWorkerOptions;
  readonly #runs = new Map<Claim, Promise<void>>();
  readonly #shutdown = new AbortController();
  #isClosing = false;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isRoundRequested = false;
  /** Whether there may be events that are not in the queues. */
  #isEnqueueingDue = false;
  #unsubscribe: (() => void) | undefined;
  readonly #isStatusDue = createTimer(statusIntervalMs, { isDue: true });
  readonly #isCleanUpDue = createTimer(cleanUpIntervalMs, { isDue: false });

  constructor(options: WebhookWorkerOptions) {
    this.#options = options;
  }

  /** Starts later, off the path of the startup. */
  start(): void {
    this.#schedule(pollIntervalMs);
  }

  /** Looks for work now: there are new events, or a webhook has changed. */
  wake(): void {
    this.#isEnqueueingDue = true;
    this.#requestRound();
  }

  #requestRound(): void {
    if (this.#isClosing) return;
    this.#isRoundRequested = true;
    this.#round ??= this.#runRounds();
  }

  /** Ends attempts in progress, and releases their queues to other processes. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    this.#unsubscribe?.();
    await this.#round;
    const timer = setTimeout(() => this.#shutdown.abort(), closeTimeoutMs);
    await Promise.all(this.#runs.values());
    clearTimeout(timer);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isClosing) this.#timer = setTimeout(() => this.wake(), delayMs).unref();
  }

  async #runRounds(): Promise<void> {
    let delayMs = pollIntervalMs;
    try {
      while (this.#isRoundRequested && !this.#isClosing) {
        this.#isRoundRequested = false;
        const hasWebhooks = await runAsWorker(() => this.#runRound());
        delayMs = hasWebhooks ? pollIntervalMs : idleIntervalMs;
      }
    } catch (error) {
      delayMs = idleIntervalMs;
      this.#options.onError(error);
    }
    this.#round = undefined;
    this.#schedule(delayMs);
  }

  async #runRound(): Promise<boolean> {
    const { orm, query, feed } = this.#options;
    if (!this.#isEnqueueingDue) {
      await this.#startRuns();
      return true;
    }
    this.#isEnqueueingDue = false;
    const [{ hasWebhooks = false } = {}] = await query<{ hasWebhooks: boolean }>(existsStatement, []);
    if (!hasWebhooks) {
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
      return false;
    }
    this.#unsubscribe ??= feed.subscribe(() => this.wake());
    for (let isMore = true; isMore && !this.#isClosing; ) {
      isMore = await enqueueEvents(orm.em.fork());
      await this.#startRuns();
    }
    if (this.#isStatusDue()) {
      const [status] = await query<WebhookStatus>(statusStatement, []);
      if (status) this.#options.onStatus(status);
    }
    if (this.#isCleanUpDue()) await deleteOldDeliveries(query, this.#options.retentionDays);
    return true;
  }

  async #startRuns(): Promise<void> {
    const free = maxQueues - this.#runs.size;
    if (free === 0 || this.#isClosing) return;
    const limits = { free, perWebhook: maxQueuesOfWebhook, running: [...this.#runs.keys()] };
    for (const claim of await claimQueues(this.#options.query, limits)) this.#runs.set(claim, this.#run(claim));
  }

  async #run(claim: Claim): Promise<void> {
    // Merchants take turns for connections, too, among themselves and with API keys.
    const share = { id: `webhooks of ${claim.tenant}`, isGuest: false };
    try {
      await runAsWorker(() => deliverQueue(claim, this.#options, this.#shutdown.signal), share);
    } catch (error) {
      if (!this.#shutdown.signal.aborted) this.#options.onError(error);
    }
    this.#runs.delete(claim);
    // There may be a queue that had to wait for this one.
    this.#requestRound();
  }
}

/** Returns a function that is true once in each interval. */
function createTimer(intervalMs: number, { isDue }: { readonly isDue: boolean }): () => boolean {
  let last = isDue ? Number.NEGATIVE_INFINITY : performance.now();
  return () => {
    if (performance.now() - last < intervalMs) return false;
    last = performance.now();
    return true;
  };
}

const existsStatement = prepared('select exists (select from webhook where removed_at is null) as "hasWebhooks"');

const statusStatement = prepared(`
  select count(*) filter (where w.paused_at is null) as active, count(*) filter (where w.paused_at is not null) as paused,
    coalesce(sum(w.lost_events), 0)::bigint as "lostEvents",
    coalesce(extract(epoch from now() - min((
      select min(q.waiting_since) from webhook_queue q where q.webhook_id = w.id and q.newest > q.position
    )) filter (where w.paused_at is null)), 0)::float8 as "lagSeconds"
  from webhook w where w.removed_at is null`);

const deletedAtOnce = 1000;

const deleteDeliveriesStatement = prepared(`
  delete from webhook_delivery where (webhook_id, position) in (
    select webhook_id, position from webhook_delivery
    where last_attempt_at < now() - $1 * interval '1 day'
    limit ${deletedAtOnce} for update skip locked
  ) returning 1`);

const deleteWebhooksStatement = prepared(`delete from webhook where removed_at < now() - $1 * interval '1 day'`);

/** Deletes the record of old deliveries, and webhooks that were removed before that. In small batches, so that no lock is held for long. */
async function deleteOldDeliveries(query: Query, retentionDays: number): Promise<void> {
  let deleted: number;
  do deleted = (await query(deleteDeliveriesStatement, [retentionDays])).length;
  while (deleted === deletedAtOnce);
  await query(deleteWebhooksStatement, [retentionDays]);
}
