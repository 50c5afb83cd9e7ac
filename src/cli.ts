import { Command, CommanderError } from 'commander';
import { addCompareCommand } from './cli/compare.ts';
import { addMigrateCommand } from './cli/database.ts';
import { addImportCommand } from './cli/import.ts';
import { addKeyCommands } from './cli/key.ts';
import { addMenuCommand } from './cli/menu.ts';
import { examples } from './cli/options.ts';
import { addOrderCommands } from './cli/orders.ts';
import { addRestCommands } from './cli/rest.ts';
import { terminal } from './cli/terminal.ts';
import { InvalidInput, OperatorError } from './errors.ts';

/** Runs the command line and returns the exit status; prints errors of the operator without a stack trace. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const program = createProgram();
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof InvalidInput) {
      for (const { message } of error.errors) terminal.err(`carte: ${message}`);
      return 1;
    }
    if (!(error instanceof OperatorError)) throw error;
    terminal.err(`carte: ${error.message}`);
    return error.exitStatus;
  }
}

/** Commands import what they need when they run, so that `--help` stays fast. */
export function createProgram(): Command {
  const program = new Command('carte')
    .description('Restaurant menus, stores, merchants and orders as one GraphQL graph, with a REST facade')
    .exitOverride()
    .showHelpAfterError('(--help shows the commands and options)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', examples('carte serve', 'carte key create --help'));
  addServeCommands(program);
  addMigrateCommand(program);
  addImportCommand(program);
  addKeyCommands(program);
  addMenuCommand(program);
  addOrderCommands(program);
  addRestCommands(program);
  addCompareCommand(program);
  return program;
}

function addServeCommands(program: Command): void {
  program
    .command('serve')
    .description('serve the graph and the REST routes; without DATABASE_URL on an embedded PostgreSQL')
    .addHelpText('after', examples('carte serve', 'PORT=8080 DATABASE_URL=postgresql://carte@db/carte carte serve'))
    .action(async () => {
      const { readConfig } = await import('./config.ts');
      const config = readConfig(process.env);
      // The primary of several processes does not load the server, the largest part of the program.
      const { serve } = await (config.processes > 1 ? import('./processes/primary.ts') : import('./main.ts'));
      await serve(config);
    });
  program
    .command('worker', { hidden: true })
    .description('run one of the CARTE_PROCESSES workers of `serve`')
    .action(async () => {
      const [{ readConfig }, { runWorker }] = await Promise.all([
        import('./config.ts'),
        import('./processes/worker.ts'),
      ]);
      await runWorker(() => readConfig(process.env));
    });
}
