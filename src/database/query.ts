import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';

/** Runs a statement with parameters; rows are objects by column name or, with the row mode `array`, arrays of values. */
export type Query = <Row>(text: string, values: readonly unknown[], rowMode?: 'array') => Promise<Row[]>;

const nameLength = 'carte_'.length + 16;
const nameComment = /^ \/\* (carte_[\w-]{16}) \*\/$/;

/**
 * Marks a statement as prepared: its trailing comment is the name under which each connection parses and plans it once, also
 * when Kysely sends it, which has no option for a name (database/statements.ts). For statements whose plan suits all values.
 */
export function prepared(text: string): string {
  return `${text} /* carte_${hash('sha1', text, 'base64url').slice(0, 16)} */`;
}

export const statementName = (text: string): string | undefined =>
  text.endsWith(' */') ? nameComment.exec(text.slice(-nameLength - 7))?.[1] : undefined;

/** Prepares the first `maxStatements` distinct texts; later ones are planned at every execution. */
export function preparedFirst(maxStatements: number): (text: string) => string {
  const known = new Map<string, string>();
  return text => {
    const statement = known.get(text) ?? (known.size < maxStatements ? prepared(text) : text);
    if (statement !== text) known.set(text, statement);
    return statement;
  };
}

/** Memoizes a statement that is built from entity metadata, once per ORM. */
export function compileOnce(build: (em: EntityManager) => string): (em: EntityManager) => string {
  const statements = new WeakMap<object, string>();
  return em => {
    const statement = statements.get(em.getMetadata()) ?? build(em);
    statements.set(em.getMetadata(), statement);
    return statement;
  };
}
