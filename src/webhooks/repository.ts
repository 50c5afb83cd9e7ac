import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import type { ReadAccess } from '../database/pool.ts';
import { type EntityRow, prepared } from '../database/query.ts';
import type { Pagination } from '../lists/paging.ts';
import { type Webhook, type WebhookDeliveryEntity, WebhookEntity } from './entities.ts';

/** The parent value of `WebhookDelivery`. */
export interface DeliveryRow extends Omit<EntityRow<InferEntity<typeof WebhookDeliveryEntity>>, 'webhook'> {
  readonly webhookId: string;
}

const deliveriesStatement = prepared(`
  select d.webhook_id as "webhookId", d.position, d.kind, d.store_id as "storeId", d.order_id as "orderId",
    d.event_at as "eventAt", d.state, d.attempts, d.last_attempt_at as "lastAttemptAt", d.status, d.error,
    d.duration_ms as "durationMs"
  from unnest($1::text[]) w (id) cross join lateral (
    select * from webhook_delivery where webhook_id = w.id order by position desc offset $2 limit $3
  ) d`);

const waitingStatement = prepared(`
  select webhook_id as "webhookId", min(waiting_since) as "waitingSince" from webhook_queue
  where webhook_id = any ($1) and newest > position group by webhook_id`);

export type WebhookRepository = ReturnType<typeof createWebhookRepository>;

/** Reads from the primary: an operator looks at what is happening now. */
export function createWebhookRepository({ primary }: Pick<ReadAccess, 'primary'>) {
  return {
    /** Deliveries of webhooks, newest event first. */
    async findDeliveries(webhookIds: readonly string[], { skip, limit }: Pagination) {
      const rows = await primary<DeliveryRow>(deliveriesStatement, [webhookIds, skip, limit]);
      return Map.groupBy(rows, ({ webhookId }) => webhookId);
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

/** A page of webhooks, or every one, with those removed lately; oldest first. */
export function listWebhooks(em: EntityManager, { skip, limit }: Partial<Pagination> = {}): Promise<Webhook[]> {
  const page = skip === undefined || limit === undefined ? {} : { offset: skip, limit };
  return em.find(WebhookEntity, {}, { orderBy: { createdAt: 'asc', id: 'asc' }, ...page });
}

/** DataLoaders of a request, for the fields of many webhooks. */
export function webhookLoaders(repository: WebhookRepository) {
  const deliveriesByPage = new Map<string, DataLoader<string, readonly DeliveryRow[]>>();
  return {
    waitingSince: new DataLoader<string, Date | null>(async ids => {
      const waiting = await repository.findWaiting(ids);
      return ids.map(id => waiting.get(id) ?? null);
    }),
    /** One query for each page that the request selects. */
    deliveries(webhookId: string, page: Pagination): Promise<readonly DeliveryRow[]> {
      const key = `${page.skip} ${page.limit}`;
      const find = async (ids: readonly string[]) => {
        const found = await repository.findDeliveries(ids, page);
        return ids.map(id => found.get(id) ?? []);
      };
      const loader = deliveriesByPage.get(key) ?? new DataLoader(find);
      deliveriesByPage.set(key, loader);
      return loader.load(webhookId);
    },
  };
}
