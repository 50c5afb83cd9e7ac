import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { AttackCommand } from '../../drills/fair-shares/attacker.ts';
import type { AttackReport } from './attack.ts';
import type { Command, Sample, Tenant } from './other-tenant.ts';

function startProgram(file: string): ChildProcess {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.unref();
  return child;
}

/** Sends a message and waits for the one that replies to it; rejects if the program exits instead. */
async function call(child: ChildProcess, message: object): Promise<unknown> {
  const ended = new AbortController();
  child.send(message);
  try {
    return await Promise.race([
      once(child, 'message', { signal: ended.signal }).then(([reply]) => reply),
      once(child, 'exit', { signal: ended.signal }).then(([code]) => {
        throw new Error(`A program of the drill exited with ${code}`);
      }),
    ]);
  } finally {
    ended.abort();
  }
}

export interface OtherTenant {
  begin(tenant: Tenant): Promise<void>;
  /** The requests that were sent since the last call, when all of them have their responses. */
  take(): Promise<readonly Sample[]>;
  end(): Promise<void>;
  stop(): void;
}

export function startOtherTenant(): OtherTenant {
  const child = startProgram('./other-tenant.ts');
  const command = (message: Command) => call(child, message);
  return {
    async begin(tenant) {
      await command({ begin: tenant });
    },
    take: async () => (await command({ take: true })) as readonly Sample[],
    async end() {
      await command({ end: true });
    },
    stop: () => void child.kill(),
  };
}

/** Leaves the processors to the service and the other tenant: a real attacker is at another machine. */
const attackerPriority = 10;

export interface Attacker {
  attack(seconds: number): Promise<AttackReport>;
  inspect(): Promise<string>;
  stop(): void;
}

/** Starts the program of the attacker, which has its bodies ready when this resolves. */
export async function startAttacker(command: AttackCommand): Promise<Attacker> {
  const child = startProgram('../../drills/fair-shares/attacker.ts');
  if (child.pid !== undefined) setPriority(child.pid, attackerPriority);
  await call(child, command);
  return {
    attack: async seconds => (await call(child, { seconds })) as AttackReport,
    inspect: async () => String(await call(child, { inspect: true })),
    stop: () => void child.kill(),
  };
}
