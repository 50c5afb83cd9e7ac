import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { memoizeByValue } from '@carte/base/memoize';
import { checkLength, checkRange, findUnstorable } from '@carte/base/validation';
import type DataLoader from 'dataloader';
import { type EntityQuery, parameter, type Query, type QueryOptions, type Selection } from '../database/query.ts';
import type { AccessScope } from '../scope.ts';
import {
  type ConnectionArguments,
  type Cursor,
  type CursorList,
  compareCursors,
  conflictErrors,
  connectionErrors,
  cutPage,
  listSizes,
  type Page,
  type PageRequest,
  pageRequest,
  type RelayConnection,
} from './paging.ts';

/** The arguments of a list; each has some of them. */
export interface ListArguments extends ConnectionArguments {
  readonly skip?: number | null;
  readonly limit?: number | null;
  readonly search?: string | null;
  readonly newestFirst?: boolean;
}

/** A page of such a list; with an offset, it has no cursors. */
export interface ListRequest extends PageRequest {
  readonly offset: number;
  /** Words that each entity must have; empty for all entities. */
  readonly words: readonly string[];
}

const searchLength = { min: 0, max: 200 };
const maxWords = 8;
const cursorArguments = ['first', 'last', 'after', 'before'];

/** Throws `InvalidInput` with every error, by the bounds of docs/interface.md#paging. */
export function checkListArguments(list: CursorList, args: ListArguments, defaultSize = 100): ListRequest {
  const words = wordsOf(args.search ?? '');
  const errors = [
    ...checkRange(['skip'], args.skip, { min: 0 }),
    ...checkRange(['limit'], args.limit, listSizes),
    ...connectionErrors(list, args, listSizes),
    ...findUnstorable(args.search, ['search']),
    ...checkLength(['search'], args.search, searchLength),
    ...checkWords(words),
    ...conflictErrors(args, { last: ['first'], skip: cursorArguments, limit: cursorArguments }),
  ];
  if (errors.length > 0) throw new InvalidInput(errors);
  return { ...pageRequest(list, args, args.limit ?? defaultSize), offset: args.skip ?? 0, words };
}

/** Each once, in whatever case. */
function wordsOf(search: string): readonly string[] {
  const words = search.split(/\s+/).filter(Boolean);
  return [...new Map(words.map(word => [word.toLowerCase(), word])).values()];
}

/** Each is searched for in every entity. */
function checkWords({ length }: readonly string[]): ValidationError[] {
  if (length <= maxWords) return [];
  return [{ path: ['search'], type: 'too_long', message: `has ${length} words; at most ${maxWords} are allowed` }];
}

/** A list of entities that has cursors and can be searched. */
interface ListOptions<Entity extends Cursor, Joined extends object> {
  readonly name: CursorList;
  readonly selection: Selection<Entity, Joined>;
  /** The folded SQL text in which a search finds words; the alias of the entity is `e`. Absent if there is no search. */
  readonly searchedText?: (scope: AccessScope) => string;
}

/** Creates the function that lists the entities in scope, oldest first by default, and primes the loader of the request with them. */
export function createList<Entity extends Cursor, Joined extends object>(
  query: Query,
  { name, selection, searchedText }: ListOptions<Entity, Joined>,
) {
  const queriesOf = memoizeByValue((text: string | undefined) => compileQueries(selection, text));
  return (
    scope: AccessScope,
    args: ListArguments,
    byId?: DataLoader<string, Entity | null>,
  ): RelayConnection<Entity> => {
    const { words, ...requested } = checkListArguments(name, args);
    const page = args.newestFirst ? reverseRequest(requested) : requested;
    const { count, ...queries } = queriesOf(words.length > 0 ? searchedText?.(scope) : undefined);
    const patterns = words.length > 0 ? [words.map(patternOf)] : [];
    const readPage = async () => {
      const found = await findPage(queries, page, (run, values) => run(query, scope, [...values, ...patterns]));
      for (const entity of found.nodes) byId?.prime(entity.id, entity);
      return args.newestFirst ? reversePage(found) : found;
    };
    let found: Promise<Page<Entity>> | undefined;
    return {
      page() {
        found ??= readPage();
        return found;
      },
      totalCount: () => count(query, scope, patterns),
    };
  };
}

/** The request for the same page in the opposite order. */
const reverseRequest = <Request extends PageRequest>({ isBackward, after, before, ...page }: Request) => {
  return { ...page, isBackward: !isBackward, after: before, before: after };
};

const reversePage = <Node>({ nodes, hasPreviousPage, hasNextPage }: Page<Node>): Page<Node> => {
  return { nodes: nodes.toReversed(), hasPreviousPage: hasNextPage, hasNextPage: hasPreviousPage };
};

/** Ignores case in any script, whatever the locale of the database. */
export const folded = (text: string) => `lower(${text} collate "und-x-icu")`;

/** The text is evaluated once for each row, and the patterns are folded once. No index: lists of stores have thousands of rows, not millions. */
const hasWords = (text: string, n: number) =>
  `(${text}) collate "C" like all (array(select ${folded('pattern')} from unnest($${n}::text[]) pattern))`;

const patternOf = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

function compileQueries<Entity extends Cursor, Joined extends object>(
  selection: Selection<Entity, Joined>,
  searchedText: string | undefined,
) {
  /** Adds the condition of a search, whose only parameter is the last one. */
  const withSearch = (parameters: number, build: QueryOptions['build']): QueryOptions => {
    if (searchedText === undefined) return { parameters, build };
    return {
      parameters: parameters + 1,
      build: qb => {
        build(qb);
        qb.andWhere(hasWords(searchedText, parameters + 1));
      },
    };
  };
  /** Its parameters are the time and id of both cursors, which it includes, and the number of entities to return. */
  const keyset = (direction: 'asc' | 'desc') =>
    withSearch(5, qb =>
      qb
        .where('(e.created_at, e.id) >= ($1, $2) and (e.created_at, e.id) <= ($3, $4)')
        .orderBy({ createdAt: direction, id: direction })
        .limit(parameter(5) as never),
    );
  /** Its parameters are the number of entities to skip and to return. */
  const offset = withSearch(2, qb =>
    qb
      .orderBy({ createdAt: 'asc', id: 'asc' })
      // Typed for numbers, but the builder renders a raw parameter as well.
      .offset(parameter(1) as never)
      .limit(parameter(2) as never),
  );
  return {
    byOffset: selection.compile(offset),
    forward: selection.compile(keyset('asc')),
    backward: selection.compile(keyset('desc')),
    count: selection.compileCount(withSearch(0, () => {})),
  };
}

async function findPage<Entity extends Cursor>(
  { byOffset, forward, backward }: Readonly<Record<'byOffset' | 'forward' | 'backward', EntityQuery<Entity>>>,
  page: Omit<ListRequest, 'words'>,
  read: (run: EntityQuery<Entity>, values: readonly unknown[]) => Promise<readonly Entity[]>,
): Promise<Page<Entity>> {
  const { size, offset, isBackward, after, before } = page;
  if (!isBackward && !after && !before) {
    return cutPage(await read(byOffset, [offset, size + 1]), page, { hasPrevious: offset > 0 });
  }
  const bounds = [after?.createdAt ?? '-infinity', after?.id ?? '', before?.createdAt ?? 'infinity', before?.id ?? ''];
  const found = await read(isBackward ? backward : forward, [...bounds, size + 2]);
  return cutBetween(isBackward ? found.toReversed() : found, page);
}

/** Takes a page from entities that were read with those of its cursors. Where these still exist, there is a page on the other side of them. */
export function cutBetween<Entity extends Cursor>(sorted: readonly Entity[], page: PageRequest): Page<Entity> {
  const { after, before } = page;
  const isAt = (entity: Entity | undefined, cursor: Cursor | undefined) =>
    entity !== undefined && cursor !== undefined && compareCursors(entity, cursor) === 0;
  const between = sorted.filter(entity => !isAt(entity, after) && !isAt(entity, before));
  return cutPage(between, page, { hasPrevious: isAt(sorted[0], after), hasNext: isAt(sorted.at(-1), before) });
}

/** Takes a page from a whole list in memory, oldest first. */
export function slicePage<Entity extends Cursor>(list: readonly Entity[], page: ListRequest): Page<Entity> {
  const { offset, after, before } = page;
  const start = after ? list.filter(entity => compareCursors(entity, after) <= 0).length : 0;
  const end = before ? list.filter(entity => compareCursors(entity, before) < 0).length : list.length;
  return cutPage(list.slice(start + offset, end), page, {
    hasPrevious: start + offset > 0,
    hasNext: end < list.length,
  });
}
