import { type Command, InvalidArgumentError } from 'commander';
import { examples, parseInteger } from './terminal.ts';

export function addMenuCommand(program: Command): void {
  const menu = program
    .command('menu')
    .description('validate menu configurations, and read, compare and restore those of a store')
    .addHelpText('after', examples('carte menu check menu.json', 'carte menu history lisbon-baixa'));
  menu
    .command('check <file>')
    .description('validate a menu configuration as POST does, and print its diagnostics; needs no database')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', examples('carte menu check menu.json'))
    .addHelpText('after', '\nThe exit status is 1 if POST would reject the file.')
    .action(async (file: string, options: { json?: boolean }) => {
      const { checkMenu } = await import('./menu-check.ts');
      checkMenu(file, options);
    });
  // Each imports what it needs when it runs.
  const load = () => import('./menu-history.ts');
  const store = ['<store>', 'id of the store'] as const;
  const revision = ['--revision <revision>', 'a revision of its history instead of the current one'] as const;
  menu
    .command('history')
    .description('list the revisions of a menu, newest first: when and by which API key it was changed, and what')
    .argument(...store)
    .option('--limit <n>', 'number of revisions', parseInteger(1, 1000), 20)
    .option('--json', 'print the list as JSON')
    .addHelpText('after', `${examples('carte menu history lisbon-baixa')}\n\nTimes are those of the store's timezone.`)
    .action(async (storeId: string, options) => (await load()).printHistory(storeId, options));
  menu
    .command('show')
    .description('print a menu as a guest reads it')
    .argument(...store)
    .option(...revision, parseRevision)
    .option('--json', 'print it as JSON, like the input of replaceMenuConfiguration')
    .addHelpText('after', examples('carte menu show lisbon-baixa'))
    .action(async (storeId: string, options) => (await load()).printMenu(storeId, options));
  menu
    .command('diff')
    .description('print what changed between two revisions, in the order of the menu')
    .argument(...store)
    .argument('[from]', 'the earlier revision; the one before the last change if omitted', parseRevision)
    .argument('[to]', 'the later revision; the current one if omitted', parseRevision)
    .option('--json', 'print the changes as JSON')
    .addHelpText('after', examples('carte menu diff lisbon-baixa', 'carte menu diff lisbon-baixa 1763143331000000'))
    .action(async (storeId: string, from: number | undefined, to: number | undefined, options) =>
      (await load()).printDiff(storeId, { from, to, ...options }),
    );
  menu
    .command('restore')
    .description('replace a menu by that of an earlier revision, and print what changes')
    .argument(...store)
    .argument('<revision>', 'a revision of its history', parseRevision)
    .option('--dry-run', 'change nothing')
    .addHelpText('after', examples('carte menu restore lisbon-baixa 1763143331000000 --dry-run'))
    .addHelpText('after', '\nIt becomes a new revision, so that it can be undone in the same way.')
    .action(async (storeId: string, revision: number, options) =>
      (await load()).restoreMenu(storeId, { revision, ...options }),
    );
  menu
    .command('export')
    .description('print a menu as the body that POST accepts')
    .argument(...store)
    .option(...revision, parseRevision)
    .addHelpText('after', examples('carte menu export lisbon-baixa > menu.json'))
    .action(async (storeId: string, options) => (await load()).exportMenu(storeId, options));
}

function parseRevision(text: string): number {
  const revision = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(revision)) return revision;
  throw new InvalidArgumentError('Expected a revision such as 1763143331000000; `carte menu history` lists them.');
}
