import { InitialMigration } from './0001-initial.ts';
import { OrderSearchMigration } from './0002-order-search.ts';
import { MenuRevisionMigration } from './0003-menu-revision.ts';
import { OrderTotalsMigration } from './0004-order-totals.ts';
import { RevisionsByTimeMigration } from './0005-revisions-by-time.ts';
import { StoreCurrencyMigration } from './0006-store-currency.ts';
import { PermissionsMigration } from './0007-permissions.ts';
import { IdempotencyKeysMigration } from './0008-idempotency-keys.ts';
import { LastUseMigration } from './0009-last-use.ts';
import { MenuHistoryMigration } from './0010-menu-history.ts';
import { EventLogMigration } from './0011-event-log.ts';
import { WebhooksMigration } from './0012-webhooks.ts';
import { EventsOfMarksMigration } from './0013-events-of-marks.ts';
import { MenuHistoryStartMigration } from './0014-menu-history-start.ts';
import { MovedStoresMigration } from './0015-moved-stores.ts';
import { ReadingPermissionsMigration } from './0016-reading-permissions.ts';
import { OrderServiceMigration, OrdersByServiceMigration } from './0018-order-service.ts';
import { EventsOfStoresMigration, StoreOrderingMigration } from './0019-store-ordering.ts';
import { EventInboxMigration } from './0021-event-inbox.ts';
import { EventRetentionMigration } from './0022-event-retention.ts';
import { OrdersByCompletionMigration } from './0023-orders-by-completion.ts';
import { CursorKeyMigration } from './0024-cursor-key.ts';
import { StoreSearchMigration } from './0025-store-search.ts';
import { PlacingKeyMigration } from './0026-placing-key.ts';
import { OrdersByPlacerMigration, OwnOrdersMigration } from './0027-own-orders.ts';
import { OrderRevisionsMigration } from './0028-order-revisions.ts';
import { StoreRevisionsMigration } from './0029-store-revisions.ts';
import { GuestOrdersMigration } from './0030-guest-orders.ts';
import { AnonymizedOrdersMigration, OrdersByAgeMigration } from './0031-anonymized-orders.ts';
import { PreparationMinutesMigration } from './0032-preparation-minutes.ts';
import { EdgeCachesMigration } from './0033-edge-caches.ts';
import { WebhookOperationsMigration } from './0034-webhook-operations.ts';
import { FailingEdgeCachesMigration } from './0035-failing-edge-caches.ts';

/** In execution order; a released migration never changes. Functions and triggers do, in schema/sql, without a migration. */
export const migrations = [
  { name: '0001-initial', class: InitialMigration },
  { name: '0002-order-search', class: OrderSearchMigration },
  { name: '0003-menu-revision', class: MenuRevisionMigration },
  { name: '0004-order-totals', class: OrderTotalsMigration },
  { name: '0005-revisions-by-time', class: RevisionsByTimeMigration },
  { name: '0006-store-currency', class: StoreCurrencyMigration },
  { name: '0007-permissions', class: PermissionsMigration },
  { name: '0008-idempotency-keys', class: IdempotencyKeysMigration },
  { name: '0009-last-use', class: LastUseMigration },
  { name: '0010-menu-history', class: MenuHistoryMigration },
  { name: '0011-event-log', class: EventLogMigration },
  { name: '0012-webhooks', class: WebhooksMigration },
  { name: '0013-events-of-marks', class: EventsOfMarksMigration },
  { name: '0014-menu-history-start', class: MenuHistoryStartMigration },
  { name: '0015-moved-stores', class: MovedStoresMigration },
  { name: '0016-reading-permissions', class: ReadingPermissionsMigration },
  { name: '0018-order-service', class: OrderServiceMigration },
  { name: '0018-orders-by-service', class: OrdersByServiceMigration },
  { name: '0019-store-ordering', class: StoreOrderingMigration },
  { name: '0019-store-ordering-index', class: EventsOfStoresMigration },
  { name: '0021-event-inbox', class: EventInboxMigration },
  { name: '0022-event-retention', class: EventRetentionMigration },
  { name: '0023-orders-by-completion', class: OrdersByCompletionMigration },
  { name: '0024-cursor-key', class: CursorKeyMigration },
  { name: '0025-store-search', class: StoreSearchMigration },
  { name: '0026-placing-key', class: PlacingKeyMigration },
  { name: '0027-own-orders', class: OwnOrdersMigration },
  { name: '0027-own-orders-index', class: OrdersByPlacerMigration },
  { name: '0028-order-revisions', class: OrderRevisionsMigration },
  { name: '0029-store-revisions', class: StoreRevisionsMigration },
  { name: '0030-guest-orders', class: GuestOrdersMigration },
  { name: '0031-anonymized-orders', class: AnonymizedOrdersMigration },
  { name: '0031-anonymized-orders-index', class: OrdersByAgeMigration },
  { name: '0032-preparation-minutes', class: PreparationMinutesMigration },
  { name: '0033-edge-caches', class: EdgeCachesMigration },
  { name: '0034-webhook-operations', class: WebhookOperationsMigration },
  { name: '0035-failing-edge-caches', class: FailingEdgeCachesMigration },
];
