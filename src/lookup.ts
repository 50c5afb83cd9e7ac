import type { Condition, Reach } from './reach.ts';
import type { Query, Transact } from './statement.ts';

/** How to find rows by their identifiers. */
export interface Lookup<Row extends Identified> {
  readonly select: string;
  /** What is selected as `id`. */
  readonly column: string;
  /** The condition of a reach; its values are `$n` onwards. */
  readonly within: (reach: Reach, n: number) => Condition;
  /** The same condition on a row. */
  readonly reaches: (reach: Reach, row: Row) => boolean;
}

export interface Identified {
  readonly id: string;
}

/**
 * The row with an identifier; undefined where there is none within reach. What is asked for at the same time, by whichever
 * requests, is looked up together.
 */
export type LookUp = <Row extends Identified>(
  lookup: Lookup<Row>,
  reach: Reach,
  id: string,
) => Promise<Row | undefined>;

/** The two ways in which requests read. */
export interface Reading {
  readonly query: Query;
  readonly lookUp: LookUp;
}

/** The ways in which requests use the database. */
export interface Access extends Reading {
  readonly transact: Transact;
}
