import { Command, CommanderError } from 'commander';
import { addCompareCommand } from './cli/compare.ts';
import { addCompletionCommand } from './cli/completion.ts';
import { withDatabase } from './cli/database.ts';
import { examples } from './cli/help.ts';
import { addImportCommand } from './cli/import.ts';
import { addKeyCommands } from './cli/key.ts';
import { addMenuCommand } from './cli/menu.ts';
import { addOrderCommands } from './cli/orders.ts';
import { addRestCommands } from './cli/rest.ts';
import { terminal } from './cli/terminal.ts';
import { OperatorError } from './errors.ts';

/** The command line. Answers the exit status; every error of the operator is one clear line. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const program = createProgram();
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof OperatorError)) throw error;
    terminal.say(`carte: ${error.message}`);
    return error.exitStatus;
  }
}

export function createProgram(): Command {
  const program = new Command('carte')
    .description('Restaurant menus, stores, merchants and orders as one GraphQL graph, with a REST facade')
    .exitOverride()
    .showHelpAfterError('(add --help for what is understood)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', examples('carte serve', 'carte key create --help'));
  program
    .command('serve')
    .description('serve the graph and the REST routes; without DATABASE_URL on an embedded PostgreSQL')
    .addHelpText('after', examples('carte serve', 'PORT=8080 DATABASE_URL=postgresql://carte@db/carte carte serve'))
    .action(async () => {
      const { readConfig } = await import('./config.ts');
      const config = readConfig(process.env);
      // The server is most of the program, and no other command needs it, nor does the one that minds several.
      const { serve } = await (config.processes > 1 ? import('./processes/primary.ts') : import('./main.ts'));
      await serve(config);
    });
  program
    .command('worker', { hidden: true })
    .description('what `serve` starts CARTE_PROCESSES times')
    .action(async () => {
      const [{ readConfig }, { runWorker }] = await Promise.all([
        import('./config.ts'),
        import('./processes/worker.ts'),
      ]);
      await runWorker(() => readConfig(process.env));
    });
  program
    .command('migrate')
    .description('bring the database to the current schema')
    .addHelpText('after', examples('carte migrate'))
    .action(async () => {
      terminal.progress('Bringing the database to the current schema …');
      await withDatabase(async () => {});
      terminal.say('The database has the current schema.');
    });
  addImportCommand(program);
  addKeyCommands(program);
  addMenuCommand(program);
  addOrderCommands(program);
  addRestCommands(program);
  addCompareCommand(program);
  addCompletionCommand(program);
  return program;
}
