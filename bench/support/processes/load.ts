import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Task {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Present: it is posted. */
  readonly body?: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface Tally {
  readonly answers: number;
  /** Answers that differ from the first one. */
  readonly wrong: number;
  /** Requests that no whole answer came to, by the reason. */
  readonly failures: Readonly<Record<string, number>>;
  /** How long the load lasted. */
  readonly seconds: number;
}

const client = fileURLToPath(new URL('client.ts', import.meta.url));

/** Asks the same again and again on connections that are kept, from a process of its own. */
export async function runLoad(task: Task): Promise<Tally> {
  const child = fork(client, [JSON.stringify(task)]);
  const ended = once(child, 'exit');
  const [tally] = await once(child, 'message');
  await ended;
  return tally;
}
