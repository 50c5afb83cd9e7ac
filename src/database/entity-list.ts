import type { AccessScope } from '../auth/scope.ts';
import { InvalidInput } from '../errors.ts';
import { type Cursor, type CursorList, compareCursors } from './cursor.ts';
import { parameter, type QueryOptions, type Selection } from './entity-query.ts';
import {
  type ConnectionArguments,
  conflictErrors,
  connectionErrors,
  listSizes,
  type Page,
  type PageRequest,
  pageRequest,
  rangeErrors,
} from './paging.ts';
import type { Query } from './query.ts';

/** The arguments of a list of stores or merchants. */
export interface ListArguments extends ConnectionArguments {
  readonly skip?: number | null;
  readonly limit?: number | null;
}

/** A page of such a list; with an offset, it has no cursors. */
export interface ListRequest extends PageRequest {
  readonly offset: number;
}

const defaultSize = 100;
const cursorArguments = ['first', 'last', 'after', 'before'];

/** Throws `InvalidInput` with every error, by the bounds of docs/interface.md#paging. */
export function checkListArguments(list: CursorList, args: ListArguments): ListRequest {
  const errors = [
    ...rangeErrors('skip', args.skip, { min: 0 }),
    ...rangeErrors('limit', args.limit, listSizes),
    ...connectionErrors(list, args, listSizes),
    ...conflictErrors(args, { last: ['first'], skip: cursorArguments, limit: cursorArguments }),
  ];
  if (errors.length > 0) throw new InvalidInput(errors);
  return { ...pageRequest(list, args, args.limit ?? defaultSize), offset: args.skip ?? 0 };
}

type FindPage<Entity> = (query: Query, scope: AccessScope, page: ListRequest) => Promise<Page<Entity>>;

/** Compiles the query of a page of all entities in scope, oldest first. */
export function compileList<Entity extends Cursor, Joined extends object>(
  selection: Selection<Entity, Joined>,
): FindPage<Entity> {
  const byOffset = selection.compile(offsetQuery);
  const forward = selection.compile(keysetQuery('asc'));
  const backward = selection.compile(keysetQuery('desc'));
  return async (query, scope, page) => {
    const { size, offset, isBackward, after, before } = page;
    if (!isBackward && !after && !before) {
      const found = await byOffset(query, scope, [offset, size + 1]);
      return { nodes: found.slice(0, size), hasPreviousPage: offset > 0, hasNextPage: found.length > size };
    }
    const run = isBackward ? backward : forward;
    const bounds = [
      after?.createdAt ?? '-infinity',
      after?.id ?? '',
      before?.createdAt ?? 'infinity',
      before?.id ?? '',
    ];
    const found = await run(query, scope, [...bounds, size + 2]);
    return pageBetweenCursors(isBackward ? found.toReversed() : found, page);
  };
}

/**
 * Takes a page from the entities between two cursors, those of the cursors included. Where these still exist, there is a page on
 * the other side of them.
 */
function pageBetweenCursors<Entity extends Cursor>(found: readonly Entity[], page: PageRequest): Page<Entity> {
  const { size, isBackward, after, before } = page;
  const isAt = (entity: Entity | undefined, cursor: Cursor | undefined) =>
    entity !== undefined && cursor !== undefined && compareCursors(entity, cursor) === 0;
  const startsAtCursor = isAt(found[0], after);
  const endsAtCursor = isAt(found.at(-1), before);
  const between = found.filter(entity => !isAt(entity, after) && !isAt(entity, before));
  const hasMore = between.length > size;
  return {
    nodes: isBackward ? between.slice(Math.max(0, between.length - size)) : between.slice(0, size),
    hasPreviousPage: startsAtCursor || (isBackward && hasMore),
    hasNextPage: endsAtCursor || (!isBackward && hasMore),
  };
}

/** Takes a page from a whole list in memory, oldest first. */
export function slicePage<Entity extends Cursor>(
  list: readonly Entity[],
  { size, offset, isBackward, after, before }: ListRequest,
): Page<Entity> {
  const start = after ? list.filter(entity => compareCursors(entity, after) <= 0).length : 0;
  const end = before ? list.filter(entity => compareCursors(entity, before) < 0).length : list.length;
  const from = isBackward ? Math.max(start, end - size) : start + offset;
  const to = isBackward ? end : Math.min(from + size, end);
  return { nodes: list.slice(from, to), hasPreviousPage: from > 0, hasNextPage: to < list.length };
}

/** Its parameters are the number of entities to skip and to return. */
const offsetQuery: QueryOptions = {
  parameters: 2,
  // Typed for numbers, but the builder renders a raw parameter as well.
  build: qb =>
    qb
      .orderBy({ createdAt: 'asc', id: 'asc' })
      .offset(parameter(1) as never)
      .limit(parameter(2) as never),
};

/** Its parameters are the time and id of both cursors, which it includes, and the number of entities to return. */
const keysetQuery = (direction: 'asc' | 'desc'): QueryOptions => ({
  parameters: 5,
  build: qb =>
    qb
      .where('(e.created_at, e.id) >= ($1, $2) and (e.created_at, e.id) <= ($3, $4)')
      .orderBy({ createdAt: direction, id: direction })
      .limit(parameter(5) as never),
});
