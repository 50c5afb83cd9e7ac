import { prepared, type Query } from '../database/query.ts';

const batchSize = 1000;

const deliveriesStatement = prepared(`
  delete from webhook_delivery where (webhook_id, position) in (
    select webhook_id, position from webhook_delivery
    where last_attempt_at < now() - $1 * interval '1 day'
    limit ${batchSize} for update skip locked
  ) returning 1`);

const webhooksStatement = prepared(`delete from webhook where removed_at < now() - $1 * interval '1 day'`);

/** Deletes the record of old deliveries, and webhooks that were removed before that. In small batches, so that no lock is held for long. */
export async function deleteOldDeliveries(query: Query, keepDays: number): Promise<void> {
  let deleted: number;
  do deleted = (await query(deliveriesStatement, [keepDays])).length;
  while (deleted === batchSize);
  await query(webhooksStatement, [keepDays]);
}
