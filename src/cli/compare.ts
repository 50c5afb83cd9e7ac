import { type Command, CommanderError, Option } from 'commander';
import type { CompareOptions } from './compare-services.ts';
import { collect, examples, parseDate, parseInteger } from './terminal.ts';

const command = 'carte compare --old https://old.example --new http://127.0.0.1:4000';
const help = `${examples(
  'export CARTE_OLD_KEY=… CARTE_NEW_KEY=…',
  command,
  `${command} --store lisbon-baixa --orders 500`,
  `${command} --ignore MenuItem.prep_type --json`,
)}

The exit status is 0 if nothing differs, 1 if something does, and 2 if the services could not be compared.
docs/migrating.md defines what counts as equal.`;

export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('compare the responses of two services that implement the same REST interface')
    .requiredOption('--old <url>', 'base URL of the reference service, without /v1')
    .requiredOption('--new <url>', 'base URL of the service to compare with it')
    .addOption(
      new Option(
        '--old-key <key>',
        'API key of the old service; prefer the variable, since arguments are visible to other users',
      ).env('CARTE_OLD_KEY'),
    )
    .addOption(new Option('--new-key <key>', 'API key of the new service').env('CARTE_NEW_KEY'))
    .option('--merchants <n>', 'maximum number of merchants', parseInteger(0), 1000)
    .option('--stores <n>', 'maximum number of stores', parseInteger(0), 1000)
    .option('--store <id>', 'compare only this store, without the lists of stores and merchants (repeatable)', collect)
    .option('--orders <n>', 'maximum number of orders of each store', parseInteger(0), 100)
    .option('--from <date>', 'only orders created at or after this date or date-time', parseDate)
    .option('--to <date>', 'only orders created at or before this date or date-time', parseDate)
    .option('--set <name>', 'compare the routes of this set of operations, too, e.g. pos (repeatable)', collect)
    .option('--ids', 'compare the numeric ids in menus, too')
    .option('--order', 'compare the order of all lists, even if guests do not see it')
    .option('--ignore <field>', 'ignore differences of this name, e.g. MenuItem.prep_type (repeatable)', collect)
    .option('--examples <n>', 'maximum number of differences to show of the same name', parseInteger(1), 5)
    .option('--concurrency <n>', 'concurrent requests to each service', parseInteger(1), 4)
    .option('--timeout <seconds>', 'timeout of a request', parseInteger(1), 120)
    .option('--json', 'print the report as JSON')
    .addHelpText('after', help)
    // As with diff(1), status 1 means differences and 2 an error.
    .exitOverride(({ exitCode, code, message }) => {
      throw new CommanderError(exitCode === 0 ? 0 : 2, code, message);
    })
    .action(async (options: CompareOptions) => {
      const { compare } = await import('./compare-services.ts');
      await compare(options);
    });
}
