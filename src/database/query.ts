import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type { Pool, PoolClient, QueryConfig } from 'pg';

/** Runs a statement with parameters; rows are objects by column name or, in the mode `array`, lists of values. */
export type Query = <Row>(text: string, values: readonly unknown[], rowMode?: 'array') => Promise<Row[]>;

export function queryOn(connection: Pool | PoolClient): Query {
  return async (text, values, rowMode) => {
    const config: QueryConfig & { rowMode?: string } = { text, values: [...values], ...(rowMode && { rowMode }) };
    return (await connection.query(config)).rows;
  };
}

/** Runs statements on the connection of the entity manager's transaction. */
export function queryIn(em: EntityManager): Query {
  return async <Row>(text: string, values: readonly unknown[]) => {
    const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]) as CompiledQuery<Row>);
    return rows;
  };
}

const nameLength = 'carte_'.length + 16;
const nameComment = /^ \/\* (carte_[\w-]{16}) \*\/$/;

/**
 * Has a statement prepared: a comment at its end names it, and by that name a connection parses and plans it once, whichever library
 * sends it (database/statements.ts). For statements that one plan suits, whatever the values.
 */
export function prepared(text: string): string {
  return `${text} /* carte_${hash('sha1', text, 'base64url').slice(0, 16)} */`;
}

/** The name of a prepared statement. */
export const statementName = (text: string): string | undefined =>
  text.endsWith(' */') ? nameComment.exec(text.slice(-nameLength - 7))?.[1] : undefined;

/** Prepares the first texts that it meets, up to a number, and leaves the others to be planned each time. */
export function preparedFirst(most: number): (text: string) => string {
  const known = new Map<string, string>();
  return text => {
    const statement = known.get(text) ?? (known.size < most ? prepared(text) : text);
    if (statement !== text) known.set(text, statement);
    return statement;
  };
}
