import { type Command, CommanderError, Option } from 'commander';
import { collect, parseCount, parseDate } from './arguments.ts';
import type { CompareOptions } from './compare-services.ts';
import { examples } from './help.ts';

const between = 'carte compare --old https://old.example --new http://127.0.0.1:4000';
const help = `${examples(
  'export CARTE_OLD_KEY=… CARTE_NEW_KEY=…',
  between,
  `${between} --store lisbon-baixa --orders 500`,
  `${between} --ignore MenuItem.prep_type --json`,
)}

The exit status is 0 if nothing differs, 1 if something does, and 2 if the services could not be compared.
docs/migrating.md says what counts as equal.`;

export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('read two services that have the same REST interface, and show where their answers differ')
    .requiredOption('--old <url>', 'the service to hold against, as the address before /v1')
    .requiredOption('--new <url>', 'the service to compare with it')
    .addOption(
      new Option('--old-key <key>', 'its API key; the variable keeps it out of lists of processes').env(
        'CARTE_OLD_KEY',
      ),
    )
    .addOption(new Option('--new-key <key>', 'the API key of the new one').env('CARTE_NEW_KEY'))
    .option('--merchants <n>', 'how many merchants to take from the list', parseCount(0), 1000)
    .option('--stores <n>', 'how many stores to take from the list', parseCount(0), 1000)
    .option('--store <id>', 'only this store, without the lists of stores and merchants (repeatable)', collect, [])
    .option('--orders <n>', 'how many orders of each store to take', parseCount(0), 100)
    .option('--from <date>', 'only orders created at this date or date-time, or later', parseDate)
    .option('--to <date>', 'only orders created at this date or date-time, or earlier', parseDate)
    .option('--ids', 'compare the numbers that the services gave to the parts of menus too')
    .option('--order', 'compare the order of all lists, also where it has no meaning for guests')
    .option('--ignore <field>', 'leave out differences of this name, e.g. MenuItem.prep_type (repeatable)', collect, [])
    .option('--examples <n>', 'how many differences of the same name to show', parseCount(1), 5)
    .option('--concurrency <n>', 'how many requests to have under way with each service', parseCount(1), 4)
    .option('--timeout <seconds>', 'how long an answer may take', parseCount(1), 120)
    .option('--json', 'print everything that was found as JSON')
    .addHelpText('after', help)
    // As diff has it: 1 is for differences alone.
    .exitOverride(({ exitCode, code, message }) => {
      throw new CommanderError(exitCode === 0 ? 0 : 2, code, message);
    })
    .action(async (options: CompareOptions) => {
      const { compare } = await import('./compare-services.ts');
      await compare(options);
    });
}
