import { OrderIndexMigration } from './order-index.ts';

/** Builds the index of the completed orders by the time of completion. */
export class OrdersByCompletionMigration extends OrderIndexMigration {
  protected readonly suffix = '_by_completion';
  protected readonly columns = `(store_id, coalesce(completed_at, created_at) desc, id desc)
    where status in ('CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'REJECTED', 'FULFILLED')`;
}
