import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Database, type Settings, startDatabase } from './database.ts';
import { type Environment, type OnLog, type Server, startServer, stopServer } from './servers.ts';

/** A benchmark, a drill or a tool, or a part of one, and what it has started. */
export interface Program {
  /** A folder of its own, deleted at the end. */
  readonly folder: string;
  /** Calls back at the end, the last one first. */
  atEnd(stop: () => unknown): void;
  /** Waits until a server is ready, and stops it at the end. */
  run(server: Promise<Server>): Promise<Server>;
  startServer(env: Environment, onLog?: OnLog): Promise<Server>;
  /** Starts a PostgreSQL in the folder. */
  startDatabase(settings?: Settings): Promise<Database>;
  /** Runs a part, whose end comes before that of the program. */
  runPart<T>(work: (part: Program) => Promise<T>): Promise<T>;
}

/** Runs a program, and leaves neither processes nor files behind: not when it fails, and not after Ctrl+C. */
export async function runProgram(work: (program: Program) => Promise<void>): Promise<void> {
  await runUntilEnd(end => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void end().finally(() => process.exit(1)));
    }
  }, work);
}

async function runUntilEnd<T>(
  onStart: (end: () => Promise<void>) => void,
  work: (program: Program) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `carte-${basename(process.argv[1] ?? '', '.ts')}-`));
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
  const atEnd = (stop: () => unknown) => void stops.push(stop);
  const run = (starting: Promise<Server>) => {
    atEnd(async () => {
      const server = await starting.catch(() => undefined);
      if (server) await stopServer(server);
    });
    return starting;
  };
  let ending: Promise<void> | undefined;
  const end = () => (ending ??= stopAll(stops));
  onStart(end);
  try {
    return await work({
      folder,
      atEnd,
      run,
      startServer: (env, onLog) => run(startServer(env, onLog)),
      async startDatabase(settings) {
        const database = await startDatabase(folder, settings);
        atEnd(() => database.stop());
        return database;
      },
      runPart: part => runUntilEnd(atEnd, part),
    });
  } finally {
    await end();
  }
}

async function stopAll(stops: (() => unknown)[]): Promise<void> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    try {
      await stop();
    } catch (error) {
      console.error(error);
      process.exitCode = 1;
    }
  }
}
