import type { EntityManager } from '@mikro-orm/postgresql';
import type { Pagination } from '../lists/paging.ts';
import { type Webhook, WebhookEntity } from './entities.ts';

export const webhookStates = ['ACTIVE', 'PAUSED', 'REMOVED'] as const;
export type WebhookState = (typeof webhookStates)[number];

/** A page of webhooks, or every one, with those removed lately; oldest first. */
export function listWebhooks(em: EntityManager, { skip, limit }: Partial<Pagination> = {}): Promise<Webhook[]> {
  const page = skip === undefined || limit === undefined ? {} : { offset: skip, limit };
  return em.find(WebhookEntity, {}, { orderBy: { createdAt: 'asc', id: 'asc' }, ...page });
}

export function stateOf({ pausedAt, removedAt }: Pick<Webhook, 'pausedAt' | 'removedAt'>): WebhookState {
  if (removedAt) return 'REMOVED';
  return pausedAt ? 'PAUSED' : 'ACTIVE';
}
