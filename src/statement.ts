import { hash } from 'node:crypto';

/** A statement with parameters. One with a name is planned once on each connection. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
}

/** Runs a statement outside a transaction and answers its rows. */
export type Query = <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

/**
 * A statement that is worth planning once, because one plan fits all values: lookups by key. Searches are not, since what
 * is best for one store is not for the next.
 */
export function prepared(text: string): Statement {
  return { text, name: `carte_${hash('sha1', text, 'base64url').slice(0, 16)}` };
}
