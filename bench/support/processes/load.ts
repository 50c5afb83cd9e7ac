import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Task {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sends a POST if present. */
  readonly body?: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly responses: number;
  /** Number of responses that differ from the first one. */
  readonly wrong: number;
  /** Number of requests without a complete response, by reason. */
  readonly failures: Readonly<Record<string, number>>;
  /** Duration of the load. */
  readonly seconds: number;
}

const client = fileURLToPath(new URL('client.ts', import.meta.url));

/** Repeats a request over keep-alive connections, in a child process. */
export async function runLoad(task: Task): Promise<LoadResult> {
  const child = fork(client, [JSON.stringify(task)]);
  const ended = once(child, 'exit');
  const [result] = await once(child, 'message');
  await ended;
  return result;
}
