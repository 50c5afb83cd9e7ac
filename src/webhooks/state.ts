import { prepared, type Query } from '../database/query.ts';

const noteStatement = prepared('update webhook set notice = $2 where id = $1');

/** Leaves a notice for the operator. */
export async function addNotice(query: Query, webhookId: string, notice: string): Promise<void> {
  await query(noteStatement, [webhookId, notice]);
}

const pauseStatement = prepared(
  'update webhook set paused_at = now(), notice = $2 where id = $1 and paused_at is null and removed_at is null',
);

/** Pauses a webhook, unless somebody has; the notice says why. */
export async function pauseById(query: Query, webhookId: string, notice: string): Promise<void> {
  await query(pauseStatement, [webhookId, notice]);
}

const removeStatement = prepared(`
  with queues as (delete from webhook_queue where webhook_id = $1)
  update webhook set removed_at = now(), secret = '', previous_secret = null, previous_secret_expires_at = null
  where id = $1 and removed_at is null`);

/** Removes a webhook for good, with its secrets. It stays in lists for a while, so that one can see what became of it. */
export async function removeById(query: Query, webhookId: string): Promise<void> {
  await query(removeStatement, [webhookId]);
}
