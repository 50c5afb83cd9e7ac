import type { EntityManager } from '@mikro-orm/postgresql';
import { queryIn } from '../database/transaction.ts';
import { findWebhook, rejectRemoved } from './webhooks.ts';

/** How many events are delivered again; the webhook is resolved by its id. */
export interface Rewound {
  readonly id: string;
  readonly events: number;
}

/** Deliveries in progress lose their claims, so they stop after the message that they are sending; nothing is sent before that. */
const statement = `
  with due as (
    select e.store_id, min(e.position) as first, max(e.position) as newest, count(*) as events,
      (array_agg(e.created_at order by e.position))[1] as waiting_since
    from event e join webhook w on w.store_id = e.store_id or w.merchant_id = e.merchant_id
    where w.id = $1 and e.kind = any (w.kinds) and e.position >= $2 and e.position > w.start_position
      and e.position <= (select position from webhook_progress)
    group by e.store_id
  ), rewound as (
    insert into webhook_queue as q (webhook_id, store_id, position, newest, waiting_since)
    select $1, store_id, first - 1, newest, waiting_since from due order by store_id
    on conflict (webhook_id, store_id) do update set
      position = excluded.position, newest = greatest(q.newest, excluded.newest), waiting_since = excluded.waiting_since,
      next_attempt_at = case when q.claim is null then now() else q.next_attempt_at end,
      claim = null, attempts = 0, failing_since = null
    where q.position > excluded.position
  )
  select coalesce(sum(events), 0)::int as events from due`;

/**
 * Delivers the events since a time again, in order, as far as the log has them: for a receiver that has lost what it had accepted. Null
 * if there is no such webhook.
 */
export async function rewindWebhook(em: EntityManager, id: string, since: Date): Promise<Rewound | null> {
  if (!rejectRemoved(await findWebhook(em, id))) return null;
  // Positions are times in microseconds; the time of an event is rounded to milliseconds, so it may be a little after its position.
  const position = (since.getTime() - 1) * 1000;
  const [row] = await queryIn(em)<{ events: number }>(statement, [id, position]);
  return { id, events: row?.events ?? 0 };
}
