import type { MikroORM } from '@mikro-orm/postgresql';
import { prepared, type Query } from '../database/query.ts';
import type { EventFeed } from '../events/feed.ts';
import { runAsWorker } from '../scheduling/current-request.ts';
import { type DeliveryDependencies, deliverQueue } from './deliver.ts';
import { isKnown, knownOperations } from './message.ts';
import { type Claim, claimQueues, enqueueEvents } from './queue.ts';

/** Queues that a process delivers at the same time. */
const maxQueues = 128;
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
  /** Active webhooks whose operation this process does not have: their events wait. */
  readonly withoutOperation: number;
}

export interface WebhookWorkerOptions extends DeliveryDependencies {
  readonly orm: MikroORM;
  readonly feed: EventFeed;
  /** For so many days deliveries are listed. */
  readonly retentionDays: number;
  readonly onStatus: (status: WebhookStatus) => void;
}

/** Delivers events to webhooks. Every serving process has one; the database decides which of them delivers a queue. */
export function createWebhookWorker(options: WebhookWorkerOptions) {
  const { orm, query, feed, messages, retentionDays, onStatus, onNotice, onError } = options;
  const known = knownOperations(messages);
  const runs = new Map<Claim, Promise<void>>();
  const shutdown = new AbortController();
  let isClosing = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isRoundRequested = false;
  /** Whether there may be events that are not in the queues. */
  let isEnqueueingDue = false;
  let unsubscribe: (() => void) | undefined;
  const isStatusDue = createTimer(statusIntervalMs, { isDue: true });
  const isNoticeDue = createTimer(pollIntervalMs, { isDue: true });
  const isCleanUpDue = createTimer(cleanUpIntervalMs, { isDue: false });

  function wake(): void {
    isEnqueueingDue = true;
    requestRound();
  }

  function requestRound(): void {
    if (isClosing) return;
    isRoundRequested = true;
    round ??= runRounds();
  }

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (!isClosing) timer = setTimeout(wake, delayMs).unref();
  }

  async function runRounds(): Promise<void> {
    let delayMs = pollIntervalMs;
    try {
      while (isRoundRequested && !isClosing) {
        isRoundRequested = false;
        const hasWebhooks = await runAsWorker(runRound);
        delayMs = hasWebhooks ? pollIntervalMs : idleIntervalMs;
      }
    } catch (error) {
      delayMs = idleIntervalMs;
      onError(error);
    }
    round = undefined;
    schedule(delayMs);
  }

  async function runRound(): Promise<boolean> {
    if (!isEnqueueingDue) {
      await startRuns();
      return true;
    }
    isEnqueueingDue = false;
    const [{ hasWebhooks = false } = {}] = await query<{ hasWebhooks: boolean }>(existsStatement, []);
    if (!hasWebhooks) {
      unsubscribe?.();
      unsubscribe = undefined;
      return false;
    }
    unsubscribe ??= feed.subscribe({ onEvents: wake });
    for (let isMore = true; isMore && !isClosing; ) {
      isMore = await enqueueEvents(orm.em.fork());
      await startRuns();
    }
    if (isStatusDue()) {
      const [status] = await query<WebhookStatus>(statusStatement, [known]);
      if (status) onStatus(status);
    }
    if (isNoticeDue()) {
      for (const { id, notice } of await query<{ id: string; notice: string }>(waitingStatement, [known]))
        onNotice(id, notice);
      await query(foundStatement, [known]);
    }
    if (isCleanUpDue()) await deleteOldDeliveries(query, retentionDays);
    return true;
  }

  async function startRuns(): Promise<void> {
    const free = maxQueues - runs.size;
    if (free === 0 || isClosing) return;
    for (const claim of await claimQueues(query, free, { running: [...runs.keys()], known }))
      runs.set(claim, run(claim));
  }

  async function run(claim: Claim): Promise<void> {
    // Merchants take turns for connections, too, among themselves and with API keys.
    const share = { id: `webhooks of ${claim.tenant}`, isGuest: false };
    try {
      await runAsWorker(() => deliverQueue(claim, options, shutdown.signal), share);
    } catch (error) {
      if (!shutdown.signal.aborted) onError(error);
    }
    runs.delete(claim);
    // There may be a queue that had to wait for this one.
    requestRound();
  }

  return {
    /** Starts later, off the path of the startup. */
    start: () => schedule(pollIntervalMs),
    /** Looks for work now: there are new events, or a webhook has changed. */
    wake,
    /** Ends attempts in progress, and releases their queues to other processes. */
    async close(): Promise<void> {
      isClosing = true;
      clearTimeout(timer);
      unsubscribe?.();
      await round;
      const deadline = setTimeout(() => shutdown.abort(), closeTimeoutMs);
      await Promise.all(runs.values());
      clearTimeout(deadline);
    },
  };
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
    )) filter (where w.paused_at is null)), 0)::float8 as "lagSeconds",
    count(*) filter (where w.paused_at is null and not ${isKnown('$1')}) as "withoutOperation"
  from webhook w where w.removed_at is null`);

/** While processes are replaced, others may have the operation: they would have taken what is due. */
const waitingStatement = prepared(`
  update webhook w set notice = format('Its events wait: no set has the operation %s for all of them.', operation) ||
    ' Restore it, or remove the webhook.'
  where not ${isKnown('$1')} and notice is null and paused_at is null and removed_at is null and exists (
    select from webhook_queue q
    where q.webhook_id = w.id and q.newest > q.position and q.next_attempt_at < now() - interval '3 seconds'
  )
  returning id, notice`);

const foundStatement = prepared(
  `update webhook w set notice = null where notice like 'Its events wait: %' and ${isKnown('$1')}`,
);

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
