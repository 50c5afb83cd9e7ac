import { InvalidInput, type ValidationError } from '../errors.ts';
import { parameter, type QueryOptions } from './entity-query.ts';

export interface Pagination {
  readonly skip: number;
  readonly limit: number;
}

const maxLimit = 1000;

/** Throws `InvalidInput` outside the bounds of docs/interface.md#paging. */
export function checkPagination({ skip, limit }: Pagination): Pagination {
  const errors = [...rangeErrors('skip', skip, { min: 0 }), ...rangeErrors('limit', limit, { min: 0, max: maxLimit })];
  if (errors.length > 0) throw new InvalidInput(errors);
  return { skip, limit };
}

interface Range {
  readonly min: number;
  readonly max?: number;
}

/** The validation errors of a number: one if it is outside the range. */
export function rangeErrors(name: string, value: number, { min, max = Number.POSITIVE_INFINITY }: Range) {
  const error = (type: string, rule: string): ValidationError[] => [
    { path: [name], type, message: `${value} is too ${rule}` },
  ];
  if (value < min) return error('greater_than_equal', `small; it must be at least ${min}`);
  return value > max ? error('less_than_equal', `large; it must be at most ${max}`) : [];
}

/** A page of all entities, oldest first; its parameters are `skip` and `limit`. */
export const paginatedQuery: QueryOptions = {
  parameters: 2,
  // Typed for numbers, but the builder renders a raw parameter as well.
  build: qb =>
    qb
      .orderBy({ createdAt: 'asc', id: 'asc' })
      .offset(parameter(1) as never)
      .limit(parameter(2) as never),
};
