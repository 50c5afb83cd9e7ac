/** The attacker: a program of its own that runs the attack of one row. */
import { runAttack } from '../../support/fair-shares/attack.ts';
import type { Attack, Row, Target } from '../../support/fair-shares/row.ts';
import { rows } from '../../support/fair-shares/rows.ts';

export interface AttackCommand {
  readonly rowName: string;
  readonly target: Target;
}

type Message = AttackCommand | { readonly seconds: number } | { readonly inspect: true };

let current: { readonly row: Row; readonly target: Target; readonly attack: Attack } | undefined;

async function handle(message: Message): Promise<unknown> {
  if ('rowName' in message) {
    const row = rows.find(({ name }) => name === message.rowName);
    if (!row) throw new Error(`There is no row ${message.rowName}`);
    current = { row, target: message.target, attack: await row.prepare(message.target) };
    return 'ready';
  }
  if (!current) throw new Error('No row is prepared');
  if ('seconds' in message) return runAttack(current.row, current.attack, message.seconds);
  return (await current.row.inspect?.(current.target)) ?? '';
}

process.on('message', async (message: Message) => process.send?.(await handle(message)));
