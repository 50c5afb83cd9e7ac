import { InvalidInput } from '../errors.ts';
import type { Event } from './entities.ts';

/** The fields of `Subscription`. */
export type StreamField = 'orderEvents' | 'menuEvents' | 'storeEvents';

/** What a cursor belongs to: a stream or the pages of `events`, of one store or, without its id, of all. */
export interface StreamId {
  readonly field: StreamField | 'events';
  readonly storeId?: string;
}

/** Opaque to clients. Increase it with every change of the format, so that older cursors are rejected and not misread. */
const version = 1;

export function encodeEventCursor({ field, storeId = '' }: StreamId, position: number): string {
  return Buffer.from(`${field}${version} ${position} ${storeId}`).toString('base64url');
}

/** The cursor of an event in the stream of a field. */
export function cursorOf(field: StreamField, { storeId, position }: Pick<Event, 'storeId' | 'position'>): string {
  return encodeEventCursor(field === 'storeEvents' ? { field } : { field, storeId }, position);
}

/** Returns the position of a cursor; throws `InvalidInput` for one of another stream, or for any other text. */
export function decodeEventCursor(stream: StreamId, text: string): number {
  const [, field, position, storeId = ''] =
    /^(\w+) (\d{1,16}) ([^\0]*)$/s.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const isOfField = encodeEventCursor({ ...stream, storeId }, Number(position)) === text;
  if (isOfField && storeId === (stream.storeId ?? '')) return Number(position);
  const [other] = /^(?:(?:order|menu|store)E|e)vents/.exec(field ?? '') ?? [];
  if (isOfField) throw invalidCursor(`is a cursor of the store "${storeId}", not of this one`);
  throw invalidCursor(
    other ? `is a cursor of ${other}, not of ${stream.field}` : `"${text.slice(0, 200)}" is not a cursor`,
  );
}

function invalidCursor(message: string): InvalidInput {
  return new InvalidInput([{ path: ['after'], type: 'value_error', message }]);
}
