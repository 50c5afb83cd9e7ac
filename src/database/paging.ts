import { type Fault, InvalidInput } from '../errors.ts';
import { parameter, type QueryOptions } from './entity-query.ts';

export interface Slice {
  readonly skip: number;
  readonly limit: number;
}

const largestLimit = 1000;

/** Refuses a slice outside the bounds of docs/interface.md#paging. */
export function checkSlice({ skip, limit }: Slice): Slice {
  const faults: Fault[] = [];
  if (skip < 0) faults.push(outside('skip', skip, 'greater_than_equal', 'at least 0'));
  if (limit < 0) faults.push(outside('limit', limit, 'greater_than_equal', 'at least 0'));
  if (limit > largestLimit) faults.push(outside('limit', limit, 'less_than_equal', `at most ${largestLimit}`));
  if (faults.length > 0) throw new InvalidInput(faults);
  return { skip, limit };
}

function outside(name: string, value: number, type: string, bound: string): Fault {
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
