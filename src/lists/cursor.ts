/** The position of an entity in a list that is sorted by creation time and id. */
export interface Cursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** The lists that have cursors; one of another list is rejected. */
export type CursorList = 'merchant' | 'order' | 'revision' | 'store';

/** Opaque to clients. Increase it with every change of the format, so that older cursors are rejected and not misread. */
const version = 2;

/** Ends with NUL, which no id has, so that a truncated cursor is rejected. */
export function encodeCursor(list: CursorList, { createdAt, id }: Cursor): string {
  return Buffer.from(`${list}${version} ${createdAt.getTime()} ${id}\0`).toString('base64url');
}

/** Undefined for a text that `encodeCursor` did not return for this list. */
export function decodeCursor(list: CursorList, text: string): Cursor | undefined {
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
