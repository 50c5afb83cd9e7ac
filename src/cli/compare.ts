import { type Command, CommanderError, Option } from 'commander';
import { createClient, Incomparable, type Side } from '../compare/client.ts';
import { Findings } from '../compare/findings.ts';
import { counted, describeCuts, describeFindings, routeRows } from '../compare/report.ts';
import { readRoutes } from '../compare/routes.ts';
import { compareServices } from '../compare/run.ts';
import { OperatorError } from '../errors.ts';
import { createSchema } from '../graphql/schema.ts';
import { loadContract } from '../rest/contract/contract.ts';
import { collect, parseCount, parseDate } from './arguments.ts';
import { examples } from './help.ts';
import { table, terminal } from './terminal.ts';

interface CompareOptions {
  readonly old: string;
  readonly new: string;
  readonly oldKey?: string;
  readonly newKey?: string;
  readonly merchants: number;
  readonly stores: number;
  readonly store: readonly string[];
  readonly orders: number;
  readonly from?: Date;
  readonly to?: Date;
  readonly ids?: boolean;
  readonly order?: boolean;
  readonly ignore: readonly string[];
  readonly examples: number;
  readonly concurrency: number;
  readonly timeout: number;
  readonly json?: boolean;
}

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
    .action(compare);
}

async function compare(options: CompareOptions): Promise<void> {
  const routes = readRoutes(loadContract(createSchema()), { ids: options.ids ?? false, order: options.order ?? false });
  const names = routes.map(({ name }) => name);
  const findings = new Findings(names, options.ignore);
  let complete = false;
  try {
    await compareServices({
      old: createClient(sideOf('old', options.old, options.oldKey), { seconds: options.timeout }),
      new: createClient(sideOf('new', options.new, options.newKey), { seconds: options.timeout }),
      routes,
      findings,
      bounds: { Merchant: options.merchants, Store: options.stores, Order: options.orders },
      stores: options.store,
      startTime: options.from,
      endTime: options.to,
      concurrency: options.concurrency,
      onProgress: () => terminal.progress(summary(findings)),
    });
    complete = true;
  } finally {
    // What was found before a service went away is still worth knowing.
    if (findings.compared > 0) show(findings, complete, options);
  }
  if (findings.compared === 0) throw new Incomparable('There is nothing to compare within these bounds.');
  if (findings.size > 0) throw new OperatorError(`The services differ: ${summary(findings)}.`);
  terminal.say(`The services agree: ${summary(findings)}.`);
}

function show(findings: Findings, complete: boolean, { json = false, examples: shown }: CompareOptions): void {
  const [differences, routes] = [findings.list(), findings.routes()];
  if (json) {
    terminal.out(JSON.stringify({ complete: complete && !findings.full, routes, differences }, null, 2));
    return;
  }
  if (differences.length > 0) terminal.out(`${describeFindings(differences, shown)}\n`);
  terminal.out(table(routeRows(routes)));
  for (const cut of describeCuts(routes)) terminal.say(cut);
  if (findings.full) terminal.say('There are more differences than can be kept; the comparison ended early.');
}

function summary({ compared, size }: Findings): string {
  return `${counted(compared, 'answer')} compared, ${counted(size, 'difference')}`;
}

function sideOf(name: Side['name'], address: string, key: string | undefined): Side {
  // What is wrong may hold a secret, so it is not repeated; fetch would do so in its own words.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new Incomparable(`The key of the ${name} service holds a character that cannot stand in a header.`);
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new Incomparable(`The address of the ${name} service must be one such as https://api.example.`);
  }
  return { name, url: url.href.replace(/\/+$/, ''), key };
}
