import { isObject } from '@carte/base/json';
import { snakeCase } from '@carte/operations/input/names';
import type { Client, ServiceResponse } from './client.ts';
import type { Lock } from './concurrency.ts';
import type { ReadRoute } from './routes.ts';
import { idOf } from './values.ts';

/** The pages of a list as one response: the body of the first page with the elements of all. */
export interface PagedList extends ServiceResponse {
  readonly elements: readonly unknown[];
  /** Whether the list ends within the limit. */
  readonly complete: boolean;
}

export interface ListRequest {
  readonly path: string;
  readonly filters: Readonly<Record<string, string>>;
  /** Maximum number of elements. */
  readonly limit: number;
  readonly lock: Lock;
}

const pageSize = 100;

/**
 * Reads a list page by page. The interface specifies neither the maximum page size nor the index of the first page: so an
 * empty page ends the list, and the index of the first page is taken from its body.
 */
export async function readPagedList(client: Client, route: ReadRoute, request: ListRequest): Promise<PagedList> {
  const { limit, lock } = request;
  const elementsById = new Map<string, unknown>();
  let firstPage: unknown;
  let ended = false;
  // One element beyond the limit shows whether the list goes on.
  while (elementsById.size <= limit) {
    const { status, body } = await client.get(pagePath(route, request, firstPage, elementsById.size), lock);
    if (status !== 200) return { status, body: undefined, elements: [], complete: false };
    const page = elementsOf(route, body);
    const previousSize = elementsById.size;
    for (const element of page) elementsById.set(idOfElement(element) ?? `#${elementsById.size}`, element);
    firstPage ??= body;
    ended = page.length === 0 || elementsById.size >= (numberIn(body, 'count') ?? Number.POSITIVE_INFINITY);
    // A service that ignores the page parameters returns the same page again and again.
    if (ended || elementsById.size === previousSize) break;
  }
  const elements = [...elementsById.values()].slice(0, limit);
  const complete = ended && elementsById.size <= limit;
  return { status: 200, body: withElements(route, firstPage, elements), elements, complete };
}

/** Removes the elements that the other list may have beyond its limit: these are not known to be missing. */
export function alignLists(route: ReadRoute, before: PagedList, after: PagedList) {
  const [beforeIds, afterIds] = [idsOf(before), idsOf(after)];
  const align = (list: PagedList, other: PagedList, otherIds: ReadonlySet<string>): PagedList => {
    if (other.complete) return list;
    const elements = list.elements.filter(element => otherIds.has(idOfElement(element) ?? ''));
    return { ...list, elements, body: withElements(route, list.body, elements) };
  };
  const shared = [...beforeIds].filter(id => afterIds.has(id) || !after.complete);
  const added = [...afterIds].filter(id => !beforeIds.has(id) && !before.complete);
  // A count that equals the length of its list would repeat the differences of the lists.
  const countsAreRedundant = [before, after].every(hasRedundantCount);
  return {
    before: align(countsAreRedundant ? withoutCount(before) : before, after, afterIds),
    after: align(countsAreRedundant ? withoutCount(after) : after, before, beforeIds),
    // Of the entities that both services have, or may have beyond the limit.
    ids: before.status === 200 && after.status === 200 ? [...shared, ...added] : [],
  };
}

function hasRedundantCount({ body, elements, complete }: PagedList): boolean {
  return complete && isObject(body) && body.count === elements.length;
}

function withoutCount(list: PagedList): PagedList {
  return { ...list, body: { ...(isObject(list.body) && list.body), count: undefined } };
}

function withElements({ listField }: ReadRoute, body: unknown, elements: readonly unknown[]): unknown {
  if (listField === undefined) return Array.isArray(body) ? elements : body;
  return isObject(body) && Array.isArray(body[listField]) ? { ...body, [listField]: elements } : body;
}

function pagePath({ paging }: ReadRoute, { path, filters, limit }: ListRequest, firstPage: unknown, skip: number) {
  const query = new URLSearchParams(filters);
  const size = Math.min(pageSize, limit + 1);
  if (paging === 'offset') {
    query.set('skip', String(skip));
    query.set('limit', String(Math.min(size, limit + 1 - skip)));
  } else {
    query.set(snakeCase('pageSize'), String(size));
    const firstIndex = numberIn(firstPage, snakeCase('pageIndex')) ?? 0;
    const actualSize = numberIn(firstPage, snakeCase('pageSize')) ?? size;
    if (firstPage !== undefined) query.set(snakeCase('pageIndex'), String(firstIndex + Math.ceil(skip / actualSize)));
  }
  return `${path}?${query}`;
}

function elementsOf({ listField }: ReadRoute, body: unknown): readonly unknown[] {
  const list = listField === undefined ? body : isObject(body) ? body[listField] : undefined;
  return Array.isArray(list) ? list : [];
}

const idOfElement = (element: unknown) => idOf(element, { field: 'id' });

function idsOf({ elements }: PagedList): ReadonlySet<string> {
  return new Set(elements.flatMap(element => idOfElement(element) ?? []));
}

function numberIn(body: unknown, field: string): number | undefined {
  const value = isObject(body) ? body[field] : undefined;
  return typeof value === 'number' ? value : undefined;
}
