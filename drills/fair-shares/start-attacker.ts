import { setPriority } from 'node:os';
import type { AttackReport } from '../../support/fair-shares/attack.ts';
import { call, startProgram } from '../../support/fair-shares/processes.ts';
import type { AttackCommand } from './attacker.ts';

/** Leaves the processors to the service and the other tenant: a real attacker is at another machine. */
const attackerPriority = 10;

export interface Attacker {
  attack(seconds: number): Promise<AttackReport>;
  inspect(): Promise<string>;
  stop(): void;
}

/** Starts the program of the attacker, which has its bodies ready when this resolves. */
export async function startAttacker(command: AttackCommand): Promise<Attacker> {
  const child = startProgram(new URL('./attacker.ts', import.meta.url));
  if (child.pid !== undefined) setPriority(child.pid, attackerPriority);
  await call(child, command);
  return {
    attack: async seconds => (await call(child, { seconds })) as AttackReport,
    inspect: async () => String(await call(child, { inspect: true })),
    stop: () => void child.kill(),
  };
}
