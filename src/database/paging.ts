import { InvalidInput, type ValidationError } from '../errors.ts';
import { parameter, type QueryOptions } from './entity-query.ts';

export interface Pagination {
  readonly skip: number;
  readonly limit: number;
}

const maxLimit = 1000;

/** Throws `InvalidInput` outside the bounds of docs/interface.md#paging. */
export function checkPagination({ skip, limit }: Pagination): Pagination {
  const errors: ValidationError[] = [];
  if (skip < 0) errors.push(rangeError('skip', skip, 'greater_than_equal', 'at least 0'));
  if (limit < 0) errors.push(rangeError('limit', limit, 'greater_than_equal', 'at least 0'));
  if (limit > maxLimit) errors.push(rangeError('limit', limit, 'less_than_equal', `at most ${maxLimit}`));
  if (errors.length > 0) throw new InvalidInput(errors);
  return { skip, limit };
}

/** The validation error of an argument outside its bounds. */
export function rangeError(name: string, value: number, type: string, bound: string): ValidationError {
  return { path: [name], type, message: `${name} is ${value}; it must be ${bound}` };
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
