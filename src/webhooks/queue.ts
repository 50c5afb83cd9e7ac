import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { prepared, type Query, queryIn } from '../database/query.ts';
import type { Event } from '../events/entities.ts';
import type { EventKind } from '../events/kinds.ts';
import type { DeliveryState } from './entities.ts';
import { isKnown, type Subject } from './message.ts';
import type { Attempt, Endpoint } from './send.ts';

/** For so long a queue belongs to the process that claimed it; each delivery renews it. Longer than an attempt can take. */
export const claimSeconds = 20;

const batchSize = 5000;

/** Locks out other processes. A statement of its own, so that the next one sees every webhook that was created under the lock. */
const lockStatement = prepared('select position from webhook_progress where id = 1 for update skip locked');

/** Events of a store and kind as one, so that very many for many webhooks do not delay those of others. */
const enqueueStatement = prepared(`
  with batch as (
    select position, store_id, merchant_id, kind, created_at from event
    where position > greatest($1::bigint, (select min(start_position) from webhook where removed_at is null))
    order by position limit ${batchSize}
  ), grouped as materialized (
    select store_id, merchant_id, kind, min(position) as first, max(position) as newest, min(created_at) as created_at
    from batch group by store_id, merchant_id, kind
  ), enqueued as (
    insert into webhook_queue as q (webhook_id, store_id, position, newest, waiting_since)
    select w.id, g.store_id, greatest(min(g.first) - 1, w.start_position), max(g.newest), min(g.created_at)
    from grouped g join webhook w on w.store_id = g.store_id or w.merchant_id = g.merchant_id
    where g.kind = any (w.kinds) and g.newest > w.start_position and w.removed_at is null
    group by w.id, g.store_id
    order by w.id, g.store_id
    on conflict (webhook_id, store_id) do update set
      newest = excluded.newest,
      position = case when q.newest > q.position then q.position else greatest(q.position, excluded.position) end,
      waiting_since = case when q.newest > q.position then q.waiting_since else excluded.waiting_since end
  )
  update webhook_progress set position = (select max(position) from batch)
  where id = 1 and exists (select from batch)
  returning (select count(*) from batch) = ${batchSize} as "isMore"`);

/** Puts new events of the log into the queues; true if there may be more. Of several processes one does it, and the others go on. */
export async function enqueueEvents(em: EntityManager): Promise<boolean> {
  return em.transactional(async transaction => {
    const query = queryIn(transaction);
    const [progress] = await query<{ position: number }>(lockStatement, []);
    if (!progress) return false;
    const [batch] = await query<{ isMore: boolean }>(enqueueStatement, [progress.position]);
    return batch?.isMore ?? false;
  });
}

/** A queue that this process delivers. */
export interface Claim {
  readonly token: string;
  readonly webhookId: string;
  readonly storeId: string;
  readonly position: number;
  readonly newest: number;
  /** Whose webhook it is: the merchant, also of a single store. */
  readonly tenant: string;
  readonly subject: Subject;
  readonly kinds: readonly EventKind[];
}

const claimStatement = prepared(`
  with due as (
    select q.webhook_id, q.store_id, q.next_attempt_at, coalesce(w.merchant_id, s.merchant_id, '') as tenant,
      row_number() over (partition by q.webhook_id order by q.next_attempt_at) as of_webhook
    from webhook_queue q join webhook w on w.id = q.webhook_id left join store s on s.id = w.store_id
    where q.newest > q.position and q.next_attempt_at <= now() and w.paused_at is null and w.removed_at is null
      and ${isKnown('$6')}
      and w.id not in (select id from unnest($2::text[]) id group by id having count(*) >= $3)
  ), running as (
    select tenant, count(*) as queues from unnest($5::text[]) tenant group by tenant
  ), turns as (
    select due.*, coalesce(running.queues, 0) + row_number() over (partition by tenant order by next_attempt_at) as turn
    from due left join running using (tenant)
    where of_webhook <= $3
  ), places as (
    select webhook_id, store_id, tenant, turn, row_number() over (order by turn, next_attempt_at) as place from turns
  ), claimed as (
    select q.webhook_id, q.store_id, p.tenant
    from webhook_queue q join places p using (webhook_id, store_id)
    where p.turn + p.place <= $4 + 1 and q.next_attempt_at <= now()
    for update of q skip locked
  )
  update webhook_queue q set claim = $1, next_attempt_at = now() + interval '${claimSeconds} seconds'
  from claimed c join webhook w on w.id = c.webhook_id
  where q.webhook_id = c.webhook_id and q.store_id = c.store_id
  returning q.claim as token, q.webhook_id as "webhookId", q.store_id as "storeId", q.position, q.newest, c.tenant,
    json_build_object('merchantId', w.merchant_id, 'storeId', w.store_id, 'operation', w.operation) as subject, w.kinds`);

/** Queues of one webhook that a process delivers at the same time, so that one that hangs does not stop the others. */
const maxOfWebhook = 8;

/**
 * Claims queues that are due, of which this process can deliver so many beside those that are running; those whose operation it does not have are
 * left to others. Tenants take turns, and of each the queue that waits longest is the first. A tenant never has more queues than are
 * free then: half of all if it is the only one, a quarter if it is the second, and so on. So there is one for the next.
 */
export function claimQueues(
  query: Query,
  free: number,
  { running, known }: { readonly running: readonly Claim[]; readonly known: readonly string[] },
): Promise<Claim[]> {
  const webhookIds = running.map(({ webhookId }) => webhookId);
  const tenants = running.map(({ tenant }) => tenant);
  return query(claimStatement, [randomUUID(), webhookIds, maxOfWebhook, free, tenants, known]);
}

/** SQL of an `Endpoint`, of a webhook `w`. */
export const endpointColumns = `
  w.url, array_remove(array[w.secret, case when w.previous_secret_expires_at > now() then w.previous_secret end], null) as secrets`;

const endpointStatement = prepared(`
  select ${endpointColumns} from webhook w join webhook_queue q on q.webhook_id = w.id
  where w.id = $1 and q.store_id = $2 and q.claim = $3 and w.paused_at is null and w.removed_at is null`);

/**
 * Reads where a message goes to, and with which secrets: when it is sent, since the secret may be rotated and the webhook paused at any
 * time. Undefined if it is paused or removed, or the claim is lost.
 */
export async function readEndpoint(query: Query, { webhookId, storeId, token }: Claim): Promise<Endpoint | undefined> {
  const [endpoint] = await query<Endpoint>(endpointStatement, [webhookId, storeId, token]);
  return endpoint;
}

const recordStatement = prepared(`
  with queue as (
    update webhook_queue set
      position = case when $4 = 'FAILING' then position else $5 end,
      attempts = case when $4 = 'FAILING' then attempts + 1 else 0 end,
      failing_since = case when $4 = 'FAILING' then coalesce(failing_since, now()) end,
      waiting_since = case when $4 = 'FAILING' then $9::timestamptz else $6::timestamptz end,
      next_attempt_at = now() + interval '${claimSeconds} seconds'
    where webhook_id = $1 and store_id = $2 and claim = $3
    returning attempts, failing_since
  ), recorded as (
    insert into webhook_delivery as d
      (webhook_id, store_id, position, state, kind, order_id, event_at, attempts, last_attempt_at, status, error, duration_ms)
    values ($1, $2, $5, $4, $7, $8, $9, 1, now(), $10, $11, $12)
    on conflict (webhook_id, position) do update set
      state = excluded.state, attempts = d.attempts + case when $4 = 'GIVEN_UP' then 0 else 1 end, last_attempt_at = now(),
      status = excluded.status, error = excluded.error, duration_ms = excluded.duration_ms
  ), webhook_health as (
    update webhook set
      failing_since = case when $4 = 'DELIVERED' then null else coalesce(failing_since, now()) end,
      last_delivered_at = case when $4 = 'DELIVERED' then now() else last_delivered_at end
    where id = $1 and case when $4 = 'DELIVERED'
      then failing_since is not null or last_delivered_at is null or last_delivered_at < now() - interval '2 seconds'
      else failing_since is null end
  )
  select q.attempts, q.failing_since as "failingSince", w.failing_since as "webhookFailingSince",
    w.paused_at is not null or w.removed_at is not null as "isStopped"
  from queue q join webhook w on w.id = $1`);

export interface Recorded {
  /** Failed attempts to deliver the event. */
  readonly attempts: number;
  readonly failingSince: Date | null;
  readonly webhookFailingSince: Date | null;
  /** Whether the webhook was paused or removed in the meantime. */
  readonly isStopped: boolean;
}

/** Records an attempt and renews the claim; unless the attempt failed, the queue moves on. Undefined if the claim is lost. */
export async function recordAttempt(
  query: Query,
  { webhookId, storeId, token }: Claim,
  { event, next, attempt, state }: RecordOptions,
): Promise<Recorded | undefined> {
  const [recorded] = await query<Recorded>(recordStatement, [
    ...[webhookId, storeId, token, state, event.position, next?.createdAt ?? null],
    ...[event.kind, event.orderId, event.createdAt, attempt.status, attempt.error, attempt.durationMs],
  ]);
  return recorded;
}

export interface RecordOptions {
  readonly event: Event;
  /** The event after it, if it is known. */
  readonly next: Event | undefined;
  readonly attempt: Attempt;
  readonly state: DeliveryState;
}

const releaseStatement = prepared(`
  update webhook_queue set
    claim = null, position = greatest(position, $4::bigint), next_attempt_at = now() + $5 * interval '1 second'
  where webhook_id = $1 and store_id = $2 and claim = $3`);

/** Ends a claim. `position` skips events that are not for the webhook; the next attempt is due after a delay. */
export async function releaseQueue(
  query: Query,
  { webhookId, storeId, token }: Claim,
  { position = 0, delaySeconds = 0 }: { readonly position?: number; readonly delaySeconds?: number } = {},
): Promise<void> {
  await query(releaseStatement, [webhookId, storeId, token, position, delaySeconds]);
}
