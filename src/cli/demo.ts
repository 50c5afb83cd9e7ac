import type { Command } from 'commander';
import { withDatabase } from './database.ts';
import { examples, terminal } from './terminal.ts';

export function addDemoCommand(program: Command): void {
  const demo = program
    .command('demo')
    .description('restore the demo restaurants')
    .addHelpText('after', examples('carte demo reset'));
  demo
    .command('reset')
    .description('restore the merchants, stores, menus and orders of the demo to those of a first start')
    .addHelpText(
      'after',
      `${examples('carte demo reset')}\n\nOrders that were added to the stores of the demo are removed. API keys, and other merchants and stores, stay as they are.`,
    )
    .action(async () => {
      terminal.progress('Restoring the demo …');
      const { resetDemo } = await import('../demo/reset.ts');
      const { merchants, stores, menus, removedOrders, orders } = await withDatabase(resetDemo);
      const restored = [
        `${merchants.changed} of ${merchants.total} merchants`,
        `${stores.changed} of ${stores.total} stores`,
        `${menus.changed} of ${menus.total} menus`,
      ].join(', ');
      terminal.err(`Restored: ${restored}.`);
      terminal.err(
        `Orders: ${removedOrders} removed, including any that were added, and ${orders} of the last two weeks created.`,
      );
      terminal.err('API keys, and other merchants and stores, are unchanged.');
    });
}
