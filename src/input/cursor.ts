import type { ValidationErrors } from './validation-errors.ts';

/**
 * Where a reader stands. One array serves a whole document: a reader at `depth` writes its children's keys at that
 * index, so that reading costs no allocation and a place is only copied when there is an error to report.
 */
export interface Cursor {
  readonly keys: (string | number)[];
  readonly errors: ValidationErrors;
}

/** Reads a value into what the graph takes. On an error it reports and gives back undefined. */
export type Read = (value: unknown, at: Cursor, depth: number) => unknown;

export function fail(at: Cursor, depth: number, type: string, msg: string): undefined {
  if (!at.errors.full) at.errors.add(at.keys.slice(0, depth), type, msg);
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
