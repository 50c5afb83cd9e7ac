import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { checkLength, checkRange, findUnstorable } from '@carte/base/validation';
import { type EntityQuery, parameter, type Query, type QueryOptions, type Selection } from '../database/query.ts';
import type { AccessScope } from '../scope.ts';
import {
  type ConnectionArguments,
  type Cursor,
  type CursorList,
  compareCursors,
  conflictErrors,
  connectionErrors,
  listSizes,
  type Page,
  type PageRequest,
  pageRequest,
} from './paging.ts';

/** The arguments of a list of stores or merchants. */
export interface ListArguments extends ConnectionArguments {
  readonly skip?: number | null;
  readonly limit?: number | null;
  readonly search?: string | null;
}

/** A page of such a list; with an offset, it has no cursors. */
export interface ListRequest extends PageRequest {
  readonly offset: number;
  /** Words that each entity must have; empty for all entities. */
  readonly words: readonly string[];
}

const defaultSize = 100;
const searchLength = { min: 0, max: 200 };
const maxWords = 8;
const cursorArguments = ['first', 'last', 'after', 'before'];

/** Throws `InvalidInput` with every error, by the bounds of docs/interface.md#paging. */
export function checkListArguments(list: CursorList, args: ListArguments): ListRequest {
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

/** A list of entities in scope, oldest first. */
interface EntityList<Entity> {
  readonly findPage: (query: Query, scope: AccessScope, page: ListRequest) => Promise<Page<Entity>>;
  readonly count: (query: Query, scope: AccessScope, words: readonly string[]) => Promise<number>;
}

/** Compiles the queries of all entities in scope, and of those among them that a search finds in a folded SQL text, whose alias is `e`. */
export function compileList<Entity extends Cursor, Joined extends object>(
  selection: Selection<Entity, Joined>,
  searchedText: string | ((scope: AccessScope) => string),
): EntityList<Entity> {
  const all = compileQueries(selection);
  const byText = new Map<string, ReturnType<typeof compileQueries<Entity, Joined>>>();
  const queriesOf = ({ length }: readonly string[], scope: AccessScope) => {
    if (length === 0) return all;
    const text = typeof searchedText === 'string' ? searchedText : searchedText(scope);
    const found = byText.get(text) ?? compileQueries(selection, n => hasWords(text, n));
    byText.set(text, found);
    return found;
  };
  const valuesOf = (words: readonly string[]) => (words.length > 0 ? [words.map(patternOf)] : []);
  return {
    findPage: (query, scope, page) =>
      findPage(queriesOf(page.words, scope), page, (run, values) =>
        run(query, scope, [...values, ...valuesOf(page.words)]),
      ),
    count: (query, scope, words) => queriesOf(words, scope).count(query, scope, valuesOf(words)),
  };
}

/** Ignores case in any script, whatever the locale of the database. */
export const folded = (text: string) => `lower(${text} collate "und-x-icu")`;

/** The text is evaluated once for each row, and the patterns are folded once. No index: lists of stores have thousands of rows, not millions. */
const hasWords = (text: string, n: number) =>
  `(${text}) collate "C" like all (array(select ${folded('pattern')} from unnest($${n}::text[]) pattern))`;

const patternOf = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

/** A condition whose only parameter is the n-th. */
type Condition = (n: number) => string;

function compileQueries<Entity extends Cursor, Joined extends object>(
  selection: Selection<Entity, Joined>,
  condition?: Condition,
) {
  return {
    byOffset: selection.compile(offsetQuery(condition)),
    forward: selection.compile(keysetQuery('asc', condition)),
    backward: selection.compile(keysetQuery('desc', condition)),
    count: selection.compileCount(withCondition({ parameters: 0, build: () => {} }, condition)),
  };
}

async function findPage<Entity extends Cursor>(
  { byOffset, forward, backward }: Readonly<Record<'byOffset' | 'forward' | 'backward', EntityQuery<Entity>>>,
  page: ListRequest,
  read: (run: EntityQuery<Entity>, values: readonly unknown[]) => Promise<readonly Entity[]>,
): Promise<Page<Entity>> {
  const { size, offset, isBackward, after, before } = page;
  if (!isBackward && !after && !before) {
    const found = await read(byOffset, [offset, size + 1]);
    return { nodes: found.slice(0, size), hasPreviousPage: offset > 0, hasNextPage: found.length > size };
  }
  const bounds = [after?.createdAt ?? '-infinity', after?.id ?? '', before?.createdAt ?? 'infinity', before?.id ?? ''];
  const found = await read(isBackward ? backward : forward, [...bounds, size + 2]);
  return pageBetweenCursors(isBackward ? found.toReversed() : found, page);
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
const offsetQuery = (condition?: Condition) =>
  withCondition(
    {
      parameters: 2,
      // Typed for numbers, but the builder renders a raw parameter as well.
      build: qb =>
        qb
          .orderBy({ createdAt: 'asc', id: 'asc' })
          .offset(parameter(1) as never)
          .limit(parameter(2) as never),
    },
    condition,
  );

/** Its parameters are the time and id of both cursors, which it includes, and the number of entities to return. */
const keysetQuery = (direction: 'asc' | 'desc', condition?: Condition) =>
  withCondition(
    {
      parameters: 5,
      build: qb =>
        qb
          .where('(e.created_at, e.id) >= ($1, $2) and (e.created_at, e.id) <= ($3, $4)')
          .orderBy({ createdAt: direction, id: direction })
          .limit(parameter(5) as never),
    },
    condition,
  );

/** Adds a condition with its parameter, which is the last one. */
function withCondition({ parameters, build }: QueryOptions, condition: Condition | undefined): QueryOptions {
  if (!condition) return { parameters, build };
  return {
    parameters: parameters + 1,
    build: qb => {
      build(qb);
      qb.andWhere(condition(parameters + 1));
    },
  };
}
