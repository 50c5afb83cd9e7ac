import { hash } from 'node:crypto';
import type { EventKind, keyEventKind } from '../events/kinds.ts';

/** What a cached response depends on. */
type Subject = 'store' | 'menu' | 'key';

/** Of every response that may be stored. */
export const everything = 'carte';

/** Of no response: its purge shows whether a cache takes purges. */
export const probe = 'carte-probe';

const maxIdLength = 200;

/** A tag by which caches purge: one word of ASCII, also for an id with spaces or commas. */
export function tagOf(subject: Subject, id: string): string {
  const encoded = encodeURIComponent(id);
  return `${subject}:${encoded.length <= maxIdLength ? encoded : hash('sha256', id)}`;
}

/** What events change; every response has the tag of its store. */
const subjects: Readonly<Partial<Record<string, Subject>>> = {
  MENU_CHANGED: 'menu',
  STOCK_CHANGED: 'menu',
  STORE_CREATED: 'store',
  STORE_CHANGED: 'store',
  STORE_DELETED: 'store',
  ORDERING_CHANGED: 'store',
  HOURS_CHANGED: 'store',
  KEY_CHANGED: 'key',
} satisfies Partial<Record<EventKind | typeof keyEventKind, Subject>>;

export const purgingKinds = Object.keys(subjects) as (EventKind | typeof keyEventKind)[];

/** The tags to purge after events, each once. */
export function tagsOf(events: readonly { readonly kind: string; readonly storeId: string }[]): string[] {
  return [...new Set(events.flatMap(({ kind, storeId }) => (subjects[kind] ? tagOf(subjects[kind], storeId) : [])))];
}
