import { snakeCase } from '../input/names.ts';
import type { Client } from './client.ts';
import { isFields } from './free.ts';
import { idOf } from './lists.ts';
import type { ReadRoute } from './routes.ts';
import type { Turn } from './turns.ts';

/** A list that was read in parts, put together. */
export interface Listing {
  readonly status: number;
  /** The body of the first part, with the elements of all. */
  readonly body: unknown;
  readonly elements: readonly unknown[];
  /** Whether the list ends within the bound. */
  readonly complete: boolean;
}

export interface Wanted {
  readonly path: string;
  readonly conditions: Readonly<Record<string, string>>;
  readonly bound: number;
  readonly turn: Turn;
}

const partSize = 100;

/**
 * Reads a list up to a bound. The interface says neither how many elements a part has at most nor from where pages are
 * counted: so an empty part is the end, and the first page is asked for without a number and says its own.
 */
export async function readListing(client: Client, route: ReadRoute, wanted: Wanted): Promise<Listing> {
  const { bound } = wanted;
  const found = new Map<string, unknown>();
  let first: unknown;
  let ended = false;
  // One more than wanted shows whether there are more.
  while (found.size <= bound) {
    const { status, body } = await client.get(nextPath(route, wanted, { first, found: found.size }), wanted.turn);
    if (status !== 200) return { status, body: undefined, elements: [], complete: false };
    const part = elementsOf(route, body);
    const known = found.size;
    for (const element of part) found.set(idOf(element, { field: 'id' }) ?? `#${found.size}`, element);
    first ??= body;
    ended = part.length === 0 || found.size >= countIn(body);
    // A part without anything new is one that was there before: this service does not go on.
    if (ended || found.size === known) break;
  }
  const elements = [...found.values()].slice(0, bound);
  const complete = ended && found.size <= bound;
  return { status: 200, body: withElements(route, first, elements), elements, complete };
}

/** The body, with other elements in its list. */
export function withElements({ listField }: ReadRoute, body: unknown, elements: readonly unknown[]): unknown {
  if (listField === undefined) return Array.isArray(body) ? elements : body;
  return isFields(body) && Array.isArray(body[listField]) ? { ...body, [listField]: elements } : body;
}

function nextPath(
  { paging }: ReadRoute,
  { path, conditions, bound }: Wanted,
  { first, found }: { readonly first: unknown; readonly found: number },
): string {
  const query = new URLSearchParams(conditions);
  const size = Math.min(partSize, bound + 1);
  if (paging === 'offset') {
    query.set('skip', String(found));
    query.set('limit', String(Math.min(size, bound + 1 - found)));
  } else {
    query.set(snakeCase('pageSize'), String(size));
    const start = numberIn(first, snakeCase('pageIndex'));
    const each = numberIn(first, snakeCase('pageSize')) ?? size;
    if (first !== undefined) query.set(snakeCase('pageIndex'), String((start ?? 0) + Math.ceil(found / each)));
  }
  return `${path}?${query}`;
}

function elementsOf({ listField }: ReadRoute, body: unknown): readonly unknown[] {
  const list = listField === undefined ? body : isFields(body) ? body[listField] : undefined;
  return Array.isArray(list) ? list : [];
}

const countIn = (body: unknown) => numberIn(body, 'count') ?? Number.POSITIVE_INFINITY;

function numberIn(body: unknown, field: string): number | undefined {
  const value = isFields(body) ? body[field] : undefined;
  return typeof value === 'number' ? value : undefined;
}
