import { rangeErrors } from '../database/paging.ts';
import { InvalidInput, type ValidationError } from '../errors.ts';
import type { OrderFilter, OrderStatus } from '../generated/graph.ts';
import { maxPhoneDigits, orderStatuses } from './entities.ts';

/** The arguments of `Store.orders`. */
export interface OrderArguments {
  readonly filter?: OrderFilter | null;
  readonly pageIndex: number;
  readonly pageSize: number;
  readonly after?: string | null;
}

/** Validated arguments; an undefined filter sets no condition. A filter of the graph that is missing here does not compile. */
export interface Search extends Readonly<Record<keyof OrderFilter, unknown>> {
  readonly startTime: Date | undefined;
  readonly endTime: Date | undefined;
  readonly customerName: string | undefined;
  /** Digits only; the empty string matches no order. */
  readonly phoneNumber: string | undefined;
  readonly status: readonly OrderStatus[] | undefined;
  readonly pageIndex: number;
  readonly pageSize: number;
  readonly after: Cursor | undefined;
}

const maxPageSize = 500;

/** Validates arguments by docs/interface.md#orders, and throws `InvalidInput` with every error. */
export function checkSearch({ filter, pageIndex, pageSize, after }: OrderArguments): Search {
  const errors: ValidationError[] = [
    ...rangeErrors('pageIndex', pageIndex, { min: 0 }),
    ...rangeErrors('pageSize', pageSize, { min: 1, max: maxPageSize }),
    ...filterErrors(filter ?? {}),
  ];
  const cursor = after == null ? undefined : decodeCursor(after);
  if (after != null && !cursor) {
    errors.push({ path: ['after'], type: 'value_error', message: `"${after}" is not the endCursor of an order page` });
  }
  if (errors.length > 0) throw new InvalidInput(errors);
  return {
    startTime: filter?.startTime ?? undefined,
    endTime: filter?.endTime ?? undefined,
    customerName: filter?.customerName || undefined,
    phoneNumber: filter?.phoneNumber ? filter.phoneNumber.replace(/[^0-9]/g, '').slice(-maxPhoneDigits) : undefined,
    status: normalizeStatuses(filter?.status ?? []),
    pageIndex,
    pageSize,
    after: cursor,
  };
}

/** Sorts statuses, so that equal searches have equal cache keys; undefined when the filter excludes none. */
function normalizeStatuses(statuses: readonly OrderStatus[]): readonly OrderStatus[] | undefined {
  const selected = orderStatuses.filter(status => statuses.includes(status));
  return selected.length === 0 || selected.length === orderStatuses.length ? undefined : selected;
}

function filterErrors({ startTime, endTime, customerName, phoneNumber }: OrderFilter): ValidationError[] {
  const errors = [...textErrors('customerName', customerName), ...textErrors('phoneNumber', phoneNumber)];
  if (startTime && endTime && startTime > endTime) {
    const message = `the start ${startTime.toISOString()} is after the end ${endTime.toISOString()}`;
    errors.push({ path: ['filter', 'startTime'], type: 'value_error', message });
  }
  return errors;
}

/** Rejects text that PostgreSQL cannot store. */
function textErrors(name: string, text: string | null | undefined): ValidationError[] {
  if (!text || (text.isWellFormed() && !text.includes('\0'))) return [];
  const message = 'the text holds a NUL character or half of a surrogate pair';
  return [{ path: ['filter', name], type: 'value_error', message }];
}

/** The last order before a page. */
export interface Cursor {
  readonly createdAt: Date;
  readonly orderId: string;
}

export function encodeCursor({ createdAt, orderId }: Cursor): string {
  return Buffer.from(`${createdAt.getTime()} ${orderId}`).toString('base64url');
}

/** Undefined for a text that `encodeCursor` did not return. */
function decodeCursor(text: string): Cursor | undefined {
  const [, time, orderId] = /^(-?\d{1,16}) ([^\0]*)$/s.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (time === undefined || orderId === undefined) return undefined;
  const cursor = { createdAt: new Date(Number(time)), orderId };
  // PostgreSQL's calendar does not go as far back as JavaScript's.
  return encodeCursor(cursor) === text && cursor.createdAt.getUTCFullYear() >= 0 ? cursor : undefined;
}
