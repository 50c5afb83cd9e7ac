import type { ValidationError } from '@carte/base/errors';
import { checkRange, type Range } from '@carte/base/validation';

/** The arguments of a connection, as in the Relay Cursor Connections Specification. */
export interface ConnectionArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

/** A page of a sorted list: the first entities between two cursors or, backward, the last ones. */
export interface PageRequest {
  readonly size: number;
  readonly isBackward: boolean;
  readonly after: Cursor | undefined;
  readonly before: Cursor | undefined;
}

/** Sizes of a page of a list (docs/interface.md#paging). */
export const listSizes: Range = { min: 0, max: 1000 };

/** Reports arguments that are set together with others, of which `conflicts` lists those that exclude each one. */
export function conflictErrors(
  args: object,
  conflicts: Readonly<Record<string, readonly string[]>>,
): ValidationError[] {
  const values = new Map<string, unknown>(Object.entries(args));
  const isSet = (name: string) => values.get(name) != null;
  return Object.entries(conflicts).flatMap(([name, others]) => {
    const set = isSet(name) ? others.filter(isSet) : [];
    if (set.length === 0) return [];
    return [{ path: [name], type: 'value_error', message: `cannot be combined with ${set.join(', ')}` }];
  });
}

/** Reports sizes that are out of range, and texts that are no cursors of the list. */
export function connectionErrors(list: CursorList, args: ConnectionArguments, sizes: Range): ValidationError[] {
  const cursorErrors = (['after', 'before'] as const).flatMap((name): ValidationError[] => {
    const text = args[name];
    if (text == null || decodeCursor(list, text)) return [];
    return [{ path: [name], type: 'value_error', message: `"${text}" is not a cursor of this list` }];
  });
  return [...checkRange(['first'], args.first, sizes), ...checkRange(['last'], args.last, sizes), ...cursorErrors];
}

/** Reads validated arguments. With `before` alone it is the page before the cursor. */
export function pageRequest(
  list: CursorList,
  { first, after, last, before }: ConnectionArguments,
  defaultSize: number,
): PageRequest {
  return {
    size: first ?? last ?? defaultSize,
    isBackward: last != null || (before != null && after == null && first == null),
    after: after == null ? undefined : decodeCursor(list, after),
    before: before == null ? undefined : decodeCursor(list, before),
  };
}

/** The entities of a page, and whether there are any before and after it. */
export interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

/**
 * Takes a page from the entities between two cursors, of which one more was read where the list goes on. The flags tell of those on the far
 * sides of the cursors.
 */
export function cutPage<Node>(
  found: readonly Node[],
  { size, isBackward }: Pick<PageRequest, 'size' | 'isBackward'>,
  { hasPrevious = false, hasNext = false },
): Page<Node> {
  const hasMore = found.length > size;
  return {
    nodes: isBackward ? found.slice(Math.max(0, found.length - size)) : found.slice(0, size),
    hasPreviousPage: hasPrevious || (isBackward && hasMore),
    hasNextPage: hasNext || (!isBackward && hasMore),
  };
}

/** The position of an entity in a list that is sorted by creation time and id. */
export interface Cursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** The lists that have cursors; one of another list is rejected. */
export type CursorList =
  | 'change'
  | 'delivery'
  | 'item'
  | 'key'
  | 'merchant'
  | 'order'
  | 'revision'
  | 'store'
  | 'webhook';

/** Opaque to clients. Increase it with every change of the format, so that older cursors are rejected and not misread. */
const version = 2;

/** Ends with NUL, which no id has, so that a truncated cursor is rejected. */
export function encodeCursor(list: CursorList, { createdAt, id }: Cursor): string {
  return Buffer.from(`${list}${version} ${createdAt.getTime()} ${id}\0`).toString('base64url');
}

/** The position of an entry of a list in memory, by its index. */
export const cursorAt = (index: number): Cursor => ({ createdAt: new Date(0), id: String(index) });

/** Undefined for a text that `encodeCursor` did not return for this list. */
function decodeCursor(list: CursorList, text: string): Cursor | undefined {
  const [, prefix, time, id] = /^(\w+) (-?\d{1,16}) ([^\0]*)\0$/s.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (prefix !== `${list}${version}` || time === undefined || id === undefined) return undefined;
  const cursor = { createdAt: new Date(Number(time)), id };
  // PostgreSQL's calendar does not go as far back as JavaScript's.
  return encodeCursor(list, cursor) === text && cursor.createdAt.getUTCFullYear() >= 0 ? cursor : undefined;
}

/** Compares two positions in ascending order, ids by their bytes as PostgreSQL's collation "C" does. */
export function compareCursors(one: Cursor, other: Cursor): number {
  return (
    one.createdAt.getTime() - other.createdAt.getTime() || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))
  );
}

/** A connection of the graph: its page and its total are read when fields of them are resolved, and at most once. */
export interface RelayConnection<Node> {
  readonly page: () => Promise<Page<Node>>;
  readonly totalCount: () => Promise<number>;
}

export function connectionResolvers<Node extends Cursor>(list: CursorList) {
  return {
    nodes: async ({ page }: RelayConnection<Node>) => (await page()).nodes,
    edges: async ({ page }: RelayConnection<Node>) => edgesOf(list, (await page()).nodes),
    pageInfo: async ({ page }: RelayConnection<Node>) => pageInfoOf(list, await page()),
    totalCount: ({ totalCount }: RelayConnection<Node>) => totalCount(),
  };
}

function edgesOf<Node extends Cursor>(list: CursorList, nodes: readonly Node[]) {
  return nodes.map(node => ({ cursor: encodeCursor(list, node), node }));
}

export function pageInfoOf(list: CursorList, { nodes, hasPreviousPage, hasNextPage }: Page<Cursor>) {
  const [first] = nodes;
  const last = nodes.at(-1);
  return {
    hasPreviousPage,
    hasNextPage,
    startCursor: first ? encodeCursor(list, first) : null,
    endCursor: last ? encodeCursor(list, last) : null,
  };
}
