/** The order after which a page starts. */
export interface Cursor {
  readonly createdAt: Date;
  readonly orderId: string;
}

export function writeCursor({ createdAt, orderId }: Cursor): string {
  return Buffer.from(`${createdAt.getTime()} ${orderId}`).toString('base64url');
}

/** The place that a cursor names; undefined for a text that `writeCursor` did not write. */
export function readCursor(text: string): Cursor | undefined {
  const [, time, orderId] = /^(-?\d{1,16}) ([^\0]*)$/s.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (time === undefined || orderId === undefined) return undefined;
  const cursor = { createdAt: new Date(Number(time)), orderId };
  // PostgreSQL's calendar does not reach as far back as JavaScript's.
  return writeCursor(cursor) === text && cursor.createdAt.getUTCFullYear() >= 0 ? cursor : undefined;
}
