import { OperatorError } from '@carte/base/errors';
import type { Command } from 'commander';
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
      const wrong = await printWrong('verifyCounters');
      if (wrong === 0) return terminal.err('All counters are correct.');
      throw new OperatorError(`${wrong} counters are wrong; \`carte orders rebuild\` corrects them.`);
    });
  orders
    .command('rebuild')
    .description('correct wrong counters; blocks writes of orders, not reads')
    .addHelpText('after', examples('carte orders rebuild'))
    .action(async () => {
      const corrected = await printWrong('rebuildCounters');
      terminal.err(corrected === 0 ? 'All counters were correct.' : `${corrected} counters were corrected.`);
    });
}

/** Verifies or rebuilds the counters, prints those that are wrong, and returns how many. */
async function printWrong(task: 'verifyCounters' | 'rebuildCounters'): Promise<number> {
  terminal.progress('Counting the orders …');
  const { [task]: run } = await import('../order/counters.ts');
  const differences = await withDatabase(run);
  const rows = differences.map(({ storeId, day, status, stored, actual }) => {
    return [storeId, day, status, String(stored), String(actual)];
  });
  if (rows.length > 0) terminal.out(table([['STORE', 'DAY', 'STATUS', 'COUNTED', 'ACTUAL'], ...rows]));
  return rows.length;
}
