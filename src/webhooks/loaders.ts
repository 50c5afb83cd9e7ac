import DataLoader from 'dataloader';
import type { Pagination } from '../lists/paging.ts';
import type { DeliveryRow, WebhookRepository } from './repository.ts';

interface DeliveriesKey extends Pagination {
  readonly webhookId: string;
}

const pageOf = ({ skip, limit }: Pagination) => `${skip} ${limit}`;

/** DataLoaders of a request, for the fields of many webhooks. */
export function webhookLoaders(repository: WebhookRepository) {
  return {
    waitingSince: new DataLoader<string, Date | null>(async ids => {
      const waiting = await repository.findWaiting(ids);
      return ids.map(id => waiting.get(id) ?? null);
    }),
    /** One query for each page that the request selects. */
    deliveries: new DataLoader<DeliveriesKey, readonly DeliveryRow[], string>(
      async keys => {
        const pages = Map.groupBy(keys, pageOf);
        const found = new Map(
          await Promise.all(
            [...pages].map(async ([page, [key, ...others]]) => {
              const ids = [key, ...others].flatMap(given => given?.webhookId ?? []);
              return [page, key ? await repository.findDeliveries(ids, key) : undefined] as const;
            }),
          ),
        );
        return keys.map(key => found.get(pageOf(key))?.get(key.webhookId) ?? []);
      },
      { cacheKeyFn: key => `${key.webhookId} ${pageOf(key)}` },
    ),
  };
}
