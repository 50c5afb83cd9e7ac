import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Command, Sample, Tenant } from './other-tenant.ts';

/** Starts a program that gets messages and replies to each. */
export function startProgram(file: URL): ChildProcess {
  const child = fork(file, {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.unref();
  return child;
}

/** Sends a message and waits for the one that replies to it; rejects if the program exits instead. */
export async function call(child: ChildProcess, message: object): Promise<unknown> {
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
  const child = startProgram(new URL('./other-tenant.ts', import.meta.url));
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
