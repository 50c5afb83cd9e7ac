import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepared, type Query } from '../database/query.ts';
import type { Event } from '../events/entities.ts';
import type { EventFeed } from '../events/feed.ts';
import { EventsDeleted, positionAt, readEvents } from '../events/log.ts';
import { runAsWorker } from '../scheduling/current-request.ts';
import type { Purge } from './purge.ts';
import { everything, probe, purgingKinds, tagsOf } from './tags.ts';

export interface PurgingOptions {
  readonly urls: readonly string[];
  readonly query: Query;
  readonly feed: EventFeed;
  readonly purge: Purge;
  /** A purge is repeated after so long. */
  readonly againSeconds: number;
  /** Called after each attempt of this process, with the number of tags that were purged, and the age of the oldest change that was not. */
  readonly onPurged: (url: string, outcome: { readonly tags: number; readonly lagSeconds: number }) => void;
  /** Called where another process purges the cache. */
  readonly onOther: (url: string) => void;
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
  readonly isFailing: boolean;
}

const insertStatement = prepared(
  'insert into edge_cache (url, position, repeated) values ($1, 0, 0) on conflict do nothing returning url',
);

const claimStatement = prepared(`
  update edge_cache set claim = $2, claimed_until = now() + interval '${claimSeconds} seconds'
  where url = $1 and (claim is null or claim = $2 or claimed_until < now())
  returning position, repeated, failing_since is not null as "isFailing", ${positionAt('now()')} - $3::bigint * 1000000 as due,
    (select greatest(complete_after, (select max(position) from event)) from event_log) as end`);

const recordStatement = prepared(`
  update edge_cache set position = greatest(position, $2), repeated = greatest(repeated, $3), failing_since = null, failure = null
  where url = $1`);

const failStatement = prepared(`
  update edge_cache set failing_since = coalesce(failing_since, $2, now()), failure = $3
  where url = $1 returning extract(epoch from now() - failing_since)::float as "lagSeconds"`);

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

  const confirmed = new Set<string>();
  const run = async (url: string) => {
    let retryMs = minRetryMs;
    while (!signal.aborted) {
      const woken = wake.signal;
      try {
        const delayMs = await runAsWorker(() => purgeNext(url, { ...options, token, confirmed, signal }));
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

interface PurgeOptions extends PurgingOptions {
  readonly token: string;
  /** Caches that have confirmed a purge of this process. */
  readonly confirmed: Set<string>;
  readonly signal: AbortSignal;
}

/** Purges what has changed, if the cache is not that of another process; resolves to the time until there may be more. */
async function purgeNext(url: string, options: PurgeOptions): Promise<number> {
  const { query, token, againSeconds, onGap, onOther, confirmed } = options;
  const [claim] = await query<Claim>(claimStatement, [url, token, againSeconds]);
  if (!claim) {
    onOther(url);
    return (await query(insertStatement, [url])).length > 0 ? 0 : idleMs;
  }
  const { position, repeated, due, end, isFailing } = claim;
  const read = (after: number) => readEvents(query, { after, kinds: purgingKinds, limit: batchSize });
  const pages = position > 0 && (await Promise.all([read(position), read(repeated)]).catch(asGap));
  if (!pages) {
    if (position > 0) onGap(url);
    await purgeTags(url, { tags: [everything] }, options);
    await query(recordStatement, [url, end, end]);
    return 0;
  }
  const [fresh, before] = pages;
  const again = before.filter(event => event.position <= Math.min(due, position));
  const [oldest] = fresh;
  const isKnown = confirmed.has(url) && !isFailing;
  const tags = tagsOf([...fresh, ...again]);
  await purgeTags(url, { tags: tags.length > 0 || isKnown ? tags : [probe], oldest }, options);
  const next = endOf(fresh) ?? Math.max(position, end, fresh.at(-1)?.position ?? 0);
  const waiting = before[again.length] ?? oldest;
  const nextRepeated = waiting ? (again.at(-1)?.position ?? repeated) : (endOf(before) ?? position);
  if (next > position || nextRepeated > repeated || isFailing) await query(recordStatement, [url, next, nextRepeated]);
  if (fresh.length === batchSize || again.length === batchSize) return 0;
  return waiting ? Math.min(Math.max((waiting.position - due) / 1_000, minWaitMs), idleMs) : idleMs;
}

/** Remembers what a cache does not confirm: the lag is that of all processes, and goes on where another one takes over. */
async function purgeTags(
  url: string,
  { tags, oldest }: { readonly tags: readonly string[]; readonly oldest?: Event | undefined },
  { query, purge, onPurged, confirmed, signal }: PurgeOptions,
): Promise<void> {
  try {
    await purge(url, tags, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const values = [url, oldest?.createdAt ?? null, reasonOf(error)];
    const [failing] = await query<{ readonly lagSeconds: number }>(failStatement, values);
    onPurged(url, { tags: 0, lagSeconds: failing?.lagSeconds ?? 0 });
    throw error;
  }
  confirmed.add(url);
  onPurged(url, { tags: tags.length, lagSeconds: 0 });
}

/** With the cause, which `fetch` leaves out of its message. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.message}${error.cause instanceof Error ? `: ${error.cause.message}` : ''}` : '';

/** Where a page of the log ends that may not be the last one. */
const endOf = (page: readonly Event[]) => (page.length === batchSize ? page.at(-1)?.position : undefined);

function asGap(error: unknown): undefined {
  if (!(error instanceof EventsDeleted)) throw error;
}
