import type { Command } from 'commander';
import { OperatorError } from '../errors.ts';
import type { CounterDifference } from '../order/counters.ts';
import { withDatabase } from './database.ts';
import { examples } from './help.ts';
import { table, terminal } from './terminal.ts';

export function addOrderCommands(program: Command): void {
  const orders = program
    .command('orders')
    .description('look after the counters that keep order lists fast')
    .addHelpText('after', examples('carte orders verify'));
  orders
    .command('verify')
    .description('compare the counters with the orders; the exit status is 1 if any is wrong')
    .addHelpText('after', examples('carte orders verify'))
    .action(async () => {
      terminal.progress('Counting the orders …');
      const { verifyCounters } = await import('../order/counters.ts');
      const wrong = await withDatabase(verifyCounters);
      if (wrong.length === 0) return terminal.say('Every counter is right.');
      terminal.out(show(wrong));
      throw new OperatorError(`${wrong.length} counters are wrong; \`carte orders rebuild\` puts them right.`);
    });
  orders
    .command('rebuild')
    .description('put wrong counters right; meanwhile reading goes on and writing orders waits')
    .addHelpText('after', examples('carte orders rebuild'))
    .action(async () => {
      terminal.progress('Counting the orders …');
      const { rebuildCounters } = await import('../order/counters.ts');
      const mended = await withDatabase(rebuildCounters);
      if (mended.length === 0) return terminal.say('Every counter was right.');
      terminal.out(show(mended));
      terminal.say(`${mended.length} counters are put right.`);
    });
}

function show(differences: readonly CounterDifference[]): string {
  const rows = differences.map(({ storeId, day, status, stored, actual }) => {
    return [storeId, day, status, String(stored), String(actual)];
  });
  return table([['STORE', 'DAY', 'STATUS', 'COUNTED', 'ACTUAL'], ...rows]);
}
