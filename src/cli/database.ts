import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Command } from 'commander';
import { forkInScope, operatorScope } from '../scope.ts';
import { examples, terminal } from './terminal.ts';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database to the current schema')
    .addHelpText('after', examples('carte migrate'))
    .action(async () => {
      terminal.progress('Migrating the database …');
      await withDatabase(async () => {});
      terminal.err('The database has the current schema.');
    });
}

/** Opens and migrates the configured database, runs a task with the operator's scope, and closes it. */
export async function withDatabase<T>(task: (em: EntityManager, orm: MikroORM) => Promise<T>): Promise<T> {
  // Imported lazily: loading the ORM would slow down --help.
  const [{ readConfig }, { openDatabase }] = await Promise.all([import('../config.ts'), import('../open-database.ts')]);
  const database = await openDatabase(readConfig(process.env));
  try {
    return await task(forkInScope(database.orm, operatorScope), database.orm);
  } finally {
    await database.close();
  }
}
