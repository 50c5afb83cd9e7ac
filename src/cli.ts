import { InvalidInput, OperatorError } from '@carte/base/errors';
import { Command, CommanderError } from 'commander';
import { addCompareCommand } from './cli/compare.ts';
import { addMigrateCommand } from './cli/database.ts';
import { addDemoCommand } from './cli/demo.ts';
import { addGuestCommands } from './cli/guest.ts';
import { addImportCommand } from './cli/import.ts';
import { addKeyCommands } from './cli/key.ts';
import { addMenuCommand } from './cli/menu.ts';
import { addOperationsCommand } from './cli/operations.ts';
import { addOrderCommands } from './cli/orders.ts';
import { addRestCommands } from './cli/rest.ts';
import { addServeCommands } from './cli/serve.ts';
import { examples, terminal } from './cli/terminal.ts';
import { addWebhookCommands } from './cli/webhook.ts';
import { version } from './version.ts';

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
    .version(version, '-V, --version', 'print the version')
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
  addGuestCommands(program);
  addWebhookCommands(program);
  addDemoCommand(program);
  addRestCommands(program);
  addOperationsCommand(program);
  addCompareCommand(program);
  return program;
}
