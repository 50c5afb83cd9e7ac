import { InvalidInput, type ValidationError } from '../errors.ts';
import type { OrderFilter, OrderStatus } from '../generated/graph.ts';
import { type Cursor, readCursor } from './cursor.ts';
import { longestPhone, orderStatuses } from './entities.ts';

export interface OrderArguments {
  readonly filter?: OrderFilter | null;
  readonly pageIndex: number;
  readonly pageSize: number;
  readonly after?: string | null;
}

/** What to look for; what is undefined sets no condition. A filter of the graph that is missing here does not compile. */
export interface Search extends Readonly<Record<keyof OrderFilter, unknown>> {
  readonly startTime: Date | undefined;
  readonly endTime: Date | undefined;
  readonly customerName: string | undefined;
  /** Digits alone; without any, nothing matches. */
  readonly phoneNumber: string | undefined;
  readonly status: readonly OrderStatus[] | undefined;
  readonly pageIndex: number;
  readonly pageSize: number;
  readonly after: Cursor | undefined;
}

const largestPage = 500;

/** Refuses what docs/interface.md#orders does not allow, naming every error. */
export function checkSearch({ filter, pageIndex, pageSize, after }: OrderArguments): Search {
  const errors: ValidationError[] = [...pagingErrors(pageIndex, pageSize), ...filterErrors(filter ?? {})];
  const cursor = after == null ? undefined : readCursor(after);
  if (after != null && !cursor) {
    errors.push({ path: ['after'], type: 'value_error', message: `"${after}" is not the endCursor of an order page` });
  }
  if (errors.length > 0) throw new InvalidInput(errors);
  return {
    startTime: filter?.startTime ?? undefined,
    endTime: filter?.endTime ?? undefined,
    customerName: filter?.customerName || undefined,
    phoneNumber: filter?.phoneNumber ? filter.phoneNumber.replace(/[^0-9]/g, '').slice(-longestPhone) : undefined,
    status: narrowing(filter?.status ?? []),
    pageIndex,
    pageSize,
    after: cursor,
  };
}

/** The statuses in a fixed order, so that equal searches look equal; undefined when they leave nothing out. */
function narrowing(statuses: readonly OrderStatus[]): readonly OrderStatus[] | undefined {
  const wanted = orderStatuses.filter(status => statuses.includes(status));
  return wanted.length === 0 || wanted.length === orderStatuses.length ? undefined : wanted;
}

function pagingErrors(pageIndex: number, pageSize: number): ValidationError[] {
  const errors: ValidationError[] = [];
  if (pageIndex < 0) errors.push(outside('pageIndex', pageIndex, 'greater_than_equal', 'at least 0'));
  if (pageSize < 1) errors.push(outside('pageSize', pageSize, 'greater_than_equal', 'at least 1'));
  if (pageSize > largestPage) {
    errors.push(outside('pageSize', pageSize, 'less_than_equal', `at most ${largestPage}`));
  }
  return errors;
}

function outside(name: string, value: number, type: string, bound: string): ValidationError {
  return { path: [name], type, message: `${name} is ${value}; it must be ${bound}` };
}

function filterErrors({ startTime, endTime, customerName, phoneNumber }: OrderFilter): ValidationError[] {
  const errors = [...textErrors('customerName', customerName), ...textErrors('phoneNumber', phoneNumber)];
  if (startTime && endTime && startTime > endTime) {
    const message = `the start ${startTime.toISOString()} is after the end ${endTime.toISOString()}`;
    errors.push({ path: ['filter', 'startTime'], type: 'value_error', message });
  }
  return errors;
}

/** Texts that PostgreSQL cannot hold are not searched for either. */
function textErrors(name: string, text: string | null | undefined): ValidationError[] {
  if (!text || (text.isWellFormed() && !text.includes('\0'))) return [];
  const message = `${name} holds a NUL character or half of a surrogate pair`;
  return [{ path: ['filter', name], type: 'value_error', message }];
}
