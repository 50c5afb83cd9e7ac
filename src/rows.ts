import { prepared, type Statement } from './statement.ts';

/** Milliseconds, since the text of an instant depends on the session's settings. */
export const milliseconds = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

/** What to pick from a table, by the alias that the domain gives it. */
export interface Picked {
  readonly condition: string;
  readonly values: readonly unknown[];
  /** What follows the condition. */
  readonly rest?: string;
}

/** Remembers the prepared statement of each text; texts are few, since values are never part of them. */
export function statementsOf(select: string): (picked: Picked, within: string) => Statement {
  const known = new Map<string, Statement>();
  return ({ condition, rest = '' }, within) => {
    const text = `${select} where ${condition} and ${within} ${rest}`;
    let statement = known.get(text);
    if (!statement) {
      statement = prepared(text);
      known.set(text, statement);
    }
    return statement;
  };
}
