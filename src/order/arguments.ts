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
  readonly createdFrom: Date | undefined;
  readonly createdUntil: Date | undefined;
  readonly customerName: string | undefined;
  /** Digits only; the empty string matches no order. */
  readonly customerPhoneEndsWith: string | undefined;
  /** As above. */
  readonly customerPhoneContains: string | undefined;
  readonly statuses: readonly OrderStatus[] | undefined;
  readonly serviceTypes: readonly ServiceType[] | undefined;
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
    createdFrom: filter?.createdFrom ?? undefined,
    createdUntil: filter?.createdUntil ?? undefined,
    customerName: filter?.customerName || undefined,
    customerPhoneEndsWith: filter?.customerPhoneEndsWith
      ? digitsOf(filter.customerPhoneEndsWith).slice(-maxPhoneDigits)
      : undefined,
    customerPhoneContains: filter?.customerPhoneContains ? digitsOf(filter.customerPhoneContains) : undefined,
    statuses: selectStatuses(filter ?? {}),
    serviceTypes: filter?.serviceTypes?.length ? [...new Set(filter.serviceTypes)].sort() : undefined,
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
function selectStatuses({ statuses, isCompleted }: OrderFilter): readonly OrderStatus[] | undefined {
  const selected = orderStatuses.filter(
    candidate =>
      (!statuses?.length || statuses.includes(candidate)) && (isCompleted ?? isFinal(candidate)) === isFinal(candidate),
  );
  return selected.length === orderStatuses.length ? undefined : selected;
}

function filterErrors({ createdFrom, createdUntil, ...texts }: OrderFilter): ValidationError[] {
  const errors = (['customerName', 'customerPhoneEndsWith', 'customerPhoneContains'] as const).flatMap(name => [
    ...findUnstorable(texts[name], ['filter', name]),
    ...checkLength(['filter', name], texts[name], textLength),
  ]);
  if (createdFrom && createdUntil && createdFrom > createdUntil) {
    const message = `the start ${createdFrom.toISOString()} is after the end ${createdUntil.toISOString()}`;
    errors.push({ path: ['filter', 'createdFrom'], type: 'value_error', message });
  }
  return errors;
}
