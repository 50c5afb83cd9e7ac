import { hash } from 'node:crypto';

/** A statement with parameters. One with a name is planned once on each connection. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
}

/** Runs a statement and answers its rows. */
export type Query = <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

/** Does work in one transaction: what it has changed holds when it ends, or not at all. */
export type Transact = <T>(work: (query: Query) => Promise<T>) => Promise<T>;

/**
 * A statement that is worth planning once, because one plan fits all values: lookups by key. Searches are not, since what
 * is best for one store is not for the next.
 */
export function prepared(text: string): Statement {
  return { text, name: `carte_${hash('sha1', text, 'base64url').slice(0, 16)}` };
}

/** Prepares the first texts that it meets, so many of them, and leaves the others to be planned each time. */
export function preparedFirst(most: number): (text: string) => Statement {
  const known = new Map<string, Statement>();
  return text => {
    const statement = known.get(text) ?? (known.size < most ? prepared(text) : { text });
    if (statement.name !== undefined) known.set(text, statement);
    return statement;
  };
}
