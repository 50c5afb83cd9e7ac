import { type Command, Option } from 'commander';
import type { GuestOptions } from './guest-actions.ts';
import { collect, examples } from './terminal.ts';

/** Its actions are imported when they run: loading the ORM would slow down --help. */
const actions = () => import('./guest-actions.ts');

export function addGuestCommands(program: Command): void {
  const guest = program
    .command('guest')
    .description("find, export and erase a guest's data in orders, by telephone number")
    .addHelpText('after', examples('carte guest find --phone "+351 912 345 678" --all'));
  const add = (name: string, description: string) =>
    guest
      .command(name)
      .description(description)
      .requiredOption('--phone <number>', 'telephone number of the guest (repeatable)', collect)
      .option('--merchant <id>', 'in the orders of all stores of this merchant')
      .option('--all', 'in the orders of every merchant and store');
  add('find', 'list the spellings of a telephone number, i.e. those with the same last seven digits, and their orders')
    .addHelpText('after', examples('carte guest find --phone "+351 912 345 678" --all'))
    .action(async (options: GuestOptions) => (await actions()).find(options));
  add('export', 'print the orders with exactly these telephone numbers')
    .addOption(new Option('--format <format>', 'format of the output').choices(['json', 'csv']).default('json'))
    .addHelpText('after', examples('carte guest export --phone 351912345678 --merchant dona-gaivota > guest.json'))
    .action(async (options: GuestOptions) => (await actions()).exportOrders(options));
  add(
    'erase',
    'empty name, phone, comments, notes, address and payment references of orders with exactly these numbers',
  )
    .option('--yes', 'do not ask first')
    .addHelpText('after', examples('carte guest erase --phone 351912345678 --phone 912345678 --merchant dona-gaivota'))
    .addHelpText('after', '\nAmounts, items, times and statuses stay. An erased guest cannot be restored.')
    .action(async (options: GuestOptions) => (await actions()).erase(options));
}
