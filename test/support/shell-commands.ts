import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Run, run } from '../cli/support.ts';

interface ShellCommand {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

/** Runs what `carte.js` passes on in this process, since loading the program takes longer than most commands. */
export async function serveCommands() {
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer({ allowHalfOpen: true }, async socket => {
    const command: ShellCommand = JSON.parse(await text(socket));
    // One after the other: they share the folder, variables and output of this process.
    const result = last.then(() => runIn(command));
    last = result.catch(() => {});
    socket.end(JSON.stringify(await result.catch(failure)));
  });
  const folder = mkdtempSync(join(tmpdir(), 'carte-shell-'));
  const socket = join(folder, 'socket');
  await new Promise<void>(resolve => server.listen(socket, resolve));
  return {
    env: { CARTE_TEST_SOCKET: socket },
    close() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function runIn({ args, folder, env, input }: ShellCommand): Promise<Run> {
  const ours = process.cwd();
  process.chdir(folder);
  try {
    return await run(args, env, input);
  } finally {
    process.chdir(ours);
  }
}

/** What Node does with an error that the program does not handle. */
const failure = (error: unknown): Run => ({
  code: 1,
  stdout: '',
  stderr: error instanceof Error ? `${error.stack}` : `${error}`,
});
