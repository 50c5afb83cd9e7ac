import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { codeOf } from './errors.ts';

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

/** A row of an entity as a statement returns it: absent values are null. */
export type EntityRow<Entity> = {
  readonly [Property in keyof Entity & string]-?: Exclude<Entity[Property], undefined>;
};

/** Runs statements in the entity manager's transaction. */
export function queryIn(em: EntityManager): Query {
  return async <Row>(text: string, values: readonly unknown[]) => {
    const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]) as CompiledQuery<Row>);
    return rows;
  };
}

const maxAttempts = 4;
const maxDelayMs = 100;

/**
 * Retries a transaction that PostgreSQL aborted with a deadlock or a serialization failure. Only for transactions that read all
 * they depend on inside themselves, so that each attempt starts afresh.
 */
export async function retryTransaction<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error;
      // Full jitter, so that the transactions that conflicted do not conflict again.
      await sleep(Math.random() * maxDelayMs);
    }
  }
}

function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}
