import { OperatorError } from '@carte/base/errors';
import type { Command } from 'commander';
import type { CounterDifference } from '../order/counters.ts';
import { withDatabase } from './database.ts';
import { examples, table, terminal } from './terminal.ts';

export function addOrderCommands(program: Command): void {
  const orders = program
    .command('orders')
    .description('maintain the counters behind the counts and pages of order lists')
    .addHelpText('after', examples('carte orders verify'));
  orders
    .command('verify')
    .description('compare the counters with the orders; the exit status is 1 if any is wrong')
    .addHelpText('after', examples('carte orders verify'))
    .action(async () => {
      terminal.progress('Counting the orders …');
      const { verifyCounters } = await import('../order/counters.ts');
      const wrong = await withDatabase(verifyCounters);
      if (wrong.length === 0) return terminal.err('All counters are correct.');
      terminal.out(format(wrong));
      throw new OperatorError(`${wrong.length} counters are wrong; \`carte orders rebuild\` corrects them.`);
    });
  orders
    .command('rebuild')
    .description('correct wrong counters; blocks writes of orders, not reads')
    .addHelpText('after', examples('carte orders rebuild'))
    .action(async () => {
      terminal.progress('Counting the orders …');
      const { rebuildCounters } = await import('../order/counters.ts');
      const corrected = await withDatabase(rebuildCounters);
      if (corrected.length === 0) return terminal.err('All counters were correct.');
      terminal.out(format(corrected));
      terminal.err(`${corrected.length} counters were corrected.`);
    });
}

function format(differences: readonly CounterDifference[]): string {
  const rows = differences.map(({ storeId, day, status, stored, actual }) => {
    return [storeId, day, status, String(stored), String(actual)];
  });
  return table([['STORE', 'DAY', 'STATUS', 'COUNTED', 'ACTUAL'], ...rows]);
}
