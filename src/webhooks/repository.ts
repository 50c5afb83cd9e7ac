import { memoizeByValue } from '@carte/base/memoize';
import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import type { ReadAccess } from '../database/pool.ts';
import { type EntityRow, prepared, Selection } from '../database/query.ts';
import { checkListArguments, createList, cutBetween, type ListArguments } from '../lists/entity-list.ts';
import type { Cursor, Page, PageRequest, RelayConnection } from '../lists/paging.ts';
import type { AccessScope } from '../scope.ts';
import { type Webhook, type WebhookDeliveryEntity, WebhookEntity } from './entities.ts';

export type WebhookConnection = RelayConnection<Webhook>;
export type WebhookDeliveryConnection = RelayConnection<DeliveryRow>;

/** The parent value of `WebhookDelivery`; its cursor is its position in the log. */
export interface DeliveryRow extends Omit<EntityRow<InferEntity<typeof WebhookDeliveryEntity>>, 'webhook'>, Cursor {
  readonly webhookId: string;
}

/** Its parameters are the ids of webhooks, the positions of both cursors, which it includes, and the number of deliveries. */
const deliveriesStatement = (direction: 'asc' | 'desc') =>
  prepared(`
  select d.webhook_id as "webhookId", d.position, d.position::text as id, d.event_at as "createdAt", d.kind, d.store_id as "storeId", d.order_id as "orderId",
    d.event_at as "eventAt", d.state, d.attempts, d.last_attempt_at as "lastAttemptAt", d.status, d.error,
    d.duration_ms as "durationMs"
  from unnest($1::text[]) w (id) cross join lateral (
    select * from webhook_delivery
    where webhook_id = w.id and ($2::bigint is null or position <= $2) and ($3::bigint is null or position >= $3)
    order by position ${direction} limit $4
  ) d
  order by d.position desc`);

const forwardStatement = deliveriesStatement('desc');
const backwardStatement = deliveriesStatement('asc');

const countStatement = prepared(`
  select webhook_id as "webhookId", count(*)::int as count from webhook_delivery where webhook_id = any ($1) group by webhook_id`);

/** Zero for a cursor that no delivery has. */
const positionOf = (cursor: Cursor | undefined) => (cursor ? Number.parseInt(cursor.id, 10) || 0 : null);

const waitingStatement = prepared(`
  select webhook_id as "webhookId", min(waiting_since) as "waitingSince" from webhook_queue
  where webhook_id = any ($1) and newest > position group by webhook_id`);

export type WebhookRepository = ReturnType<typeof createWebhookRepository>;

/** Reads from the primary: an operator looks at what is happening now. */
export function createWebhookRepository({ em, primary }: Pick<ReadAccess, 'em' | 'primary'>) {
  // Without rules, since only keys with access to everything list them.
  const selection = new Selection<Webhook>(em, { entity: WebhookEntity, scope: { rules: [] } });
  return {
    list: createList(primary, { name: 'webhook', selection }),
    /** A page of the deliveries of each webhook, newest event first. */
    async findDeliveries(webhookIds: readonly string[], page: PageRequest): Promise<Page<DeliveryRow>[]> {
      const values = [webhookIds, positionOf(page.after), positionOf(page.before), page.size + 2];
      const rows = await primary<DeliveryRow>(page.isBackward ? backwardStatement : forwardStatement, values);
      const found = Map.groupBy(rows, ({ webhookId }) => webhookId);
      return webhookIds.map(id => cutBetween(found.get(id) ?? [], page));
    },
    async countDeliveries(webhookIds: readonly string[]): Promise<number[]> {
      const rows = await primary<{ webhookId: string; count: number }>(countStatement, [webhookIds]);
      const counts = new Map(rows.map(({ webhookId, count }) => [webhookId, count]));
      return webhookIds.map(id => counts.get(id) ?? 0);
    },
    /** When the oldest events happened that are not delivered, of the webhooks that have any. */
    async findWaiting(webhookIds: readonly string[]): Promise<Map<string, Date>> {
      const rows = await primary<{ webhookId: string; waitingSince: Date }>(waitingStatement, [webhookIds]);
      return new Map(rows.map(({ webhookId, waitingSince }) => [webhookId, waitingSince]));
    },
  };
}

export function findWebhook(em: EntityManager, id: string): Promise<Webhook | null> {
  return em.findOne(WebhookEntity, { id: storableId(id) }, { refresh: true });
}

/** PostgreSQL rejects text with NUL, so no webhook has such an id. */
export const storableId = (id: string) => (id.includes('\0') ? '' : id);

/** Every webhook, with those removed lately; oldest first. */
export function listWebhooks(em: EntityManager): Promise<Webhook[]> {
  return em.find(WebhookEntity, {}, { orderBy: { createdAt: 'asc', id: 'asc' } });
}

const defaultDeliveries = 20;

/** DataLoaders of a request, for the fields of many webhooks. */
export function webhookLoaders(repository: WebhookRepository, scope: AccessScope) {
  /** One query for each page that the request selects. */
  const deliveriesOf = memoizeByValue(
    (page: PageRequest) => new DataLoader<string, Page<DeliveryRow>>(ids => repository.findDeliveries(ids, page)),
  );
  const deliveryCounts = new DataLoader<string, number>(repository.countDeliveries);
  return {
    list: (args: ListArguments): WebhookConnection => repository.list(scope, args),
    waitingSince: new DataLoader<string, Date | null>(async ids => {
      const waiting = await repository.findWaiting(ids);
      return ids.map(id => waiting.get(id) ?? null);
    }),
    deliveries(webhookId: string, args: ListArguments): WebhookDeliveryConnection {
      const page = checkListArguments('delivery', args, defaultDeliveries);
      return { page: () => deliveriesOf(page).load(webhookId), totalCount: () => deliveryCounts.load(webhookId) };
    },
  };
}
