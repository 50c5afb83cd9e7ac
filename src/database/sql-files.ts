import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { codeOf, OperatorError } from '@carte/base/errors';
import type { EntityManager } from '@mikro-orm/postgresql';
import { version } from '../version.ts';

/** A file of schema/sql: functions of the database, and the triggers that call them. */
export interface SqlFile {
  /** Its entry in the list of migrations: name, version of Carte, and hash of the text. */
  readonly name: string;
  readonly text: string;
}

/** Reads what the database is to have; a change of a file needs no migration. */
export function readSqlFiles(): readonly SqlFile[] {
  const folder = new URL('../../schema/sql/', import.meta.url);
  const names = readdirSync(folder).filter(name => name.endsWith('.sql'));
  return names.toSorted().map(name => sqlFile(name, readFileSync(new URL(name, folder), 'utf8')));
}

export function sqlFile(name: string, text: string, ofVersion = version): SqlFile {
  return { name: `${name} ${ofVersion} ${hash('sha256', text).slice(0, 12)}`, text };
}

/** Whether the text differs from what was applied last. A process that starts again beside those of a newer version leaves theirs alone. */
export function isPending({ name }: SqlFile, applied: readonly string[]): boolean {
  const [path, own, text] = name.split(' ');
  const last = applied.findLast(entry => entry.startsWith(`${path} `));
  const [, lastVersion = '', lastText] = last?.split(' ') ?? [];
  return text !== lastText && lastVersion.localeCompare(String(own), 'en', { numeric: true }) <= 0;
}

const triggerStatements = /^create or replace trigger \w+\s[^;]*?\son (?<table>\w+)\s[^;]*;/gm;

/** Replaces the functions of a file, which locks no table, and creates those of its triggers that are missing or differ. */
export async function applySqlFile(em: EntityManager, { name, text }: SqlFile): Promise<void> {
  const present = await em.execute<{ definition: string }[]>(
    'select pg_get_triggerdef(oid, true) as definition from pg_trigger where not tgisinternal and pg_table_is_visible(tgrelid)',
  );
  const definitions = new Set(present.map(({ definition }) => normalize(definition)));
  const triggers = [...text.matchAll(triggerStatements)].filter(
    ([statement]) => !definitions.has(normalize(statement)),
  );
  try {
    if (triggers.length > 0) {
      // All at once, always in the order of names, so that processes do not wait for each other in a circle.
      const tables = new Set(triggers.map(({ groups }) => groups?.table ?? ''));
      await em.execute(`lock table ${[...tables].sort().join(', ')} in share row exclusive mode`);
    }
    await em.execute(text.replaceAll(triggerStatements, ''));
    for (const [statement] of triggers) await em.execute(statement);
    await em.execute('insert into migration (name) values (?)', [name]);
  } catch (error) {
    throw codeOf(error) === '42501' ? notPermitted(name, error) : error;
  }
}

/** What a statement of a file has in common with the definition that PostgreSQL prints. */
function normalize(statement: string): string {
  const created = statement.replace('create or replace', 'create');
  return created.replaceAll(/[";]/g, '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

function notPermitted(name: string, cause: unknown): OperatorError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OperatorError(
    `The functions of schema/sql/${name} cannot be replaced: ${reason}. Run \`carte migrate\` as the role that owns the tables.`,
    { cause },
  );
}
