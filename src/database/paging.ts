import { InvalidInput, type ValidationError } from '../errors.ts';
import { parameter, type QueryOptions } from './entity-query.ts';

export interface Slice {
  readonly skip: number;
  readonly limit: number;
}

const largestLimit = 1000;

/** Refuses a slice outside the bounds of docs/interface.md#paging. */
export function checkSlice({ skip, limit }: Slice): Slice {
  const errors: ValidationError[] = [];
  if (skip < 0) errors.push(outside('skip', skip, 'greater_than_equal', 'at least 0'));
  if (limit < 0) errors.push(outside('limit', limit, 'greater_than_equal', 'at least 0'));
  if (limit > largestLimit) errors.push(outside('limit', limit, 'less_than_equal', `at most ${largestLimit}`));
  if (errors.length > 0) throw new InvalidInput(errors);
  return { skip, limit };
}

function outside(name: string, value: number, type: string, bound: string): ValidationError {
  return { path: [name], type, message: `${name} is ${value}; it must be ${bound}` };
}

/** A slice of all entities, oldest first; its parameters are `skip` and `limit`. */
export const sliceQuery: QueryOptions = {
  parameters: 2,
  // The builder takes numbers alone, and writes a raw parameter all the same.
  build: qb =>
    qb
      .orderBy({ createdAt: 'asc', id: 'asc' })
      .offset(parameter(1) as never)
      .limit(parameter(2) as never),
};
