import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepared, type Query } from '../database/query.ts';
import type { Event } from '../events/entities.ts';
import type { EventFeed } from '../events/feed.ts';
import { EventsDeleted, positionAt, readEvents } from '../events/log.ts';
import { runAsWorker } from '../scheduling/current-request.ts';
import type { Purge } from './purge.ts';
import { everything, purgingKinds, tagsOf } from './tags.ts';

export interface PurgingOptions {
  readonly urls: readonly string[];
  readonly query: Query;
  readonly feed: EventFeed;
  readonly purge: Purge;
  /** A purge is repeated after so long. */
  readonly againSeconds: number;
  /** Called after each attempt, with the number of tags that were purged, and the age of the oldest change that was not. */
  readonly onPurged: (url: string, outcome: { readonly tags: number; readonly lagSeconds: number }) => void;
  /** Called where events are no longer in the log, so that everything is purged instead. */
  readonly onGap: (url: string) => void;
  readonly onError: (url: string, error: unknown) => void;
}

/** Longer than a request to a cache may take. After it, another process takes over from one that has died. */
const claimSeconds = 7;
const idleMs = 2_000;
const minWaitMs = 10;
const minRetryMs = 100;
const maxRetryMs = 5_000;
const batchSize = 500;

/** A cache that this process purges. */
interface Claim {
  readonly position: number;
  readonly repeated: number;
  /** The position that is so long ago that purges up to it are repeated. */
  readonly due: number;
  /** The end of the log. */
  readonly end: number;
}

const insertStatement = prepared(
  'insert into edge_cache (url, position, repeated) values ($1, 0, 0) on conflict do nothing returning url',
);

const claimStatement = prepared(`
  update edge_cache set claim = $2, claimed_until = now() + interval '${claimSeconds} seconds'
  where url = $1 and (claim is null or claim = $2 or claimed_until < now())
  returning position, repeated, ${positionAt('now()')} - $3::bigint * 1000000 as due,
    (select greatest(complete_after, (select max(position) from event)) from event_log) as end`);

const recordStatement = prepared(
  'update edge_cache set position = greatest(position, $2), repeated = greatest(repeated, $3) where url = $1',
);

const releaseStatement = prepared('update edge_cache set claim = null where claim = $1');

/**
 * Purges caches by the events of the log, until it is aborted: in order, and at least once, since the position moves when a cache has confirmed. Of several
 * processes one purges a cache, and another one goes on if it dies. Each purge is repeated: a response that was rendered before a change may have reached
 * the cache after the first (docs/decisions/0029-reads-at-the-edge.md).
 */
export async function runPurging(options: PurgingOptions, signal: AbortSignal): Promise<void> {
  const { urls, feed, query, onError } = options;
  const token = randomUUID();
  let wake = new AbortController();
  const onEvents = (events: readonly Event[]) => {
    if (tagsOf(events).length > 0) wake.abort();
  };
  const unsubscribe = feed.subscribe({ onEvents });

  const run = async (url: string) => {
    let retryMs = minRetryMs;
    while (!signal.aborted) {
      const woken = wake.signal;
      try {
        const delayMs = await runAsWorker(() => purgeNext(url, { ...options, token, signal }));
        retryMs = minRetryMs;
        await sleep(delayMs, undefined, { ref: false, signal: AbortSignal.any([signal, woken]) }).catch(() => {});
      } catch (error) {
        if (!signal.aborted) onError(url, error);
        await sleep(retryMs, undefined, { ref: false, signal }).catch(() => {});
        retryMs = Math.min(retryMs * 2, maxRetryMs);
      }
      if (woken === wake.signal && woken.aborted) wake = new AbortController();
    }
  };

  await Promise.all(urls.map(run));
  unsubscribe();
  // Another process goes on at once; if the database is gone, it does a little later.
  await query(releaseStatement, [token]).catch(() => {});
}

type PurgeOptions = PurgingOptions & { readonly token: string; readonly signal: AbortSignal };

/** Purges what has changed, if the cache is not that of another process; resolves to the time until there may be more. */
async function purgeNext(url: string, options: PurgeOptions): Promise<number> {
  const { query, token, againSeconds, purge, onPurged, onGap, signal } = options;
  const [claim] = await query<Claim>(claimStatement, [url, token, againSeconds]);
  if (!claim) {
    onPurged(url, { tags: 0, lagSeconds: 0 });
    return (await query(insertStatement, [url])).length > 0 ? 0 : idleMs;
  }
  const { position, repeated, due, end } = claim;
  const read = (after: number) => readEvents(query, { after, kinds: purgingKinds, limit: batchSize });
  const pages = position > 0 && (await Promise.all([read(position), read(repeated)]).catch(asGap));
  if (!pages) {
    if (position > 0) onGap(url);
    await purge(url, [everything], signal);
    await query(recordStatement, [url, end, end]);
    return 0;
  }
  const [fresh, before] = pages;
  const again = before.filter(event => event.position <= Math.min(due, position));
  const tags = tagsOf([...fresh, ...again]);
  const [oldest] = fresh;
  try {
    await purge(url, tags, signal);
  } catch (error) {
    onPurged(url, { tags: 0, lagSeconds: oldest ? (Date.now() - oldest.createdAt.getTime()) / 1_000 : 0 });
    throw error;
  }
  onPurged(url, { tags: tags.length, lagSeconds: 0 });
  const next = endOf(fresh) ?? Math.max(position, end, fresh.at(-1)?.position ?? 0);
  const waiting = before[again.length] ?? oldest;
  const nextRepeated = waiting ? (again.at(-1)?.position ?? repeated) : (endOf(before) ?? position);
  if (next > position || nextRepeated > repeated) await query(recordStatement, [url, next, nextRepeated]);
  if (fresh.length === batchSize || again.length === batchSize) return 0;
  return waiting ? Math.min(Math.max((waiting.position - due) / 1_000, minWaitMs), idleMs) : idleMs;
}

/** Where a page of the log ends that may not be the last one. */
const endOf = (page: readonly Event[]) => (page.length === batchSize ? page.at(-1)?.position : undefined);

function asGap(error: unknown): undefined {
  if (!(error instanceof EventsDeleted)) throw error;
}
