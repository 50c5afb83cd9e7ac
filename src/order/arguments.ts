import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { checkLength, checkRange, findUnstorable } from '@carte/base/validation';
import type { OrderFilter, OrderStatus, ServiceType, StoreOrdersArgs } from '../generated/graph.ts';
import { conflictErrors, connectionErrors, type PageRequest, pageRequest } from '../lists/paging.ts';
import { maxPhoneDigits } from './entities.ts';
import { isFinal, orderStatuses } from './statuses.ts';

/** The filters of the graph that statements apply; `isCompleted` is a set of statuses. */
export type SearchedFilter = Exclude<keyof OrderFilter, 'isCompleted'>;

/** Validated arguments; an undefined filter sets no condition. A filter of the graph that is missing here does not compile. */
export interface Search extends Readonly<Record<SearchedFilter, unknown>>, PageRequest {
  readonly startTime: Date | undefined;
  readonly endTime: Date | undefined;
  readonly customerName: string | undefined;
  /** Digits only; the empty string matches no order. */
  readonly phoneNumber: string | undefined;
  /** As above. */
  readonly phoneDigits: string | undefined;
  readonly status: readonly OrderStatus[] | undefined;
  readonly serviceType: readonly ServiceType[] | undefined;
  /** The number of pages to skip. */
  readonly pageIndex: number;
  /** Completed orders by the time of completion, the last one first, instead of the time at which they were placed. */
  readonly isByCompletion?: boolean;
  /** The id of the API key that has placed the orders, for one that has only its own. */
  readonly placedBy?: string;
}

const sizes = { min: 1, max: 500 };
const defaultSize = 50;
const textLength = { min: 0, max: 10_000 };
const notByIndex = ['first', 'last', 'before'];

/** Validates arguments by docs/interface.md#orders, and throws `InvalidInput` with every error. */
export function checkSearch({ filter, pageIndex, pageSize, ...args }: StoreOrdersArgs): Search {
  const errors: ValidationError[] = [
    ...checkRange(['pageIndex'], pageIndex, { min: 0 }),
    ...checkRange(['pageSize'], pageSize, sizes),
    ...connectionErrors('order', args, sizes),
    ...conflictErrors(
      { pageIndex, pageSize, ...args },
      { last: ['first'], pageIndex: notByIndex, pageSize: notByIndex },
    ),
    ...filterErrors(filter ?? {}),
  ];
  if (errors.length > 0) throw new InvalidInput(errors);
  return {
    startTime: filter?.startTime ?? undefined,
    endTime: filter?.endTime ?? undefined,
    customerName: filter?.customerName || undefined,
    phoneNumber: filter?.phoneNumber ? digitsOf(filter.phoneNumber).slice(-maxPhoneDigits) : undefined,
    phoneDigits: filter?.phoneDigits ? digitsOf(filter.phoneDigits) : undefined,
    status: selectStatuses(filter ?? {}),
    serviceType: filter?.serviceType?.length ? [...new Set(filter.serviceType)].sort() : undefined,
    ...pageRequest('order', args, pageSize ?? defaultSize),
    pageIndex: pageIndex ?? 0,
  };
}

/** The orders that were completed last; throws `InvalidInput` if there are to be too many. */
export const completedLast = (first: number): Search => ({
  ...checkSearch({ first, filter: { isCompleted: true } }),
  isByCompletion: true,
});

const digitsOf = (text: string) => text.replace(/[^0-9]/g, '');

/** The statuses of matching orders, always in the same order, so that equal searches have equal cache keys; undefined if all are. */
function selectStatuses({ status, isCompleted }: OrderFilter): readonly OrderStatus[] | undefined {
  const selected = orderStatuses.filter(
    candidate =>
      (!status?.length || status.includes(candidate)) && (isCompleted ?? isFinal(candidate)) === isFinal(candidate),
  );
  return selected.length === orderStatuses.length ? undefined : selected;
}

function filterErrors({ startTime, endTime, ...texts }: OrderFilter): ValidationError[] {
  const errors = (['customerName', 'phoneNumber', 'phoneDigits'] as const).flatMap(name => [
    ...findUnstorable(texts[name], ['filter', name]),
    ...checkLength(['filter', name], texts[name], textLength),
  ]);
  if (startTime && endTime && startTime > endTime) {
    const message = `the start ${startTime.toISOString()} is after the end ${endTime.toISOString()}`;
    errors.push({ path: ['filter', 'startTime'], type: 'value_error', message });
  }
  return errors;
}
