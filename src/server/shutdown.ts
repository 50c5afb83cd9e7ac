import { setTimeout as sleep } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { toUnavailable } from '../database/errors.ts';

export interface ShutdownOptions {
  readonly log: FastifyBaseLogger;
  readonly shutdown: Config['shutdown'];
  /** Fails readiness; `close` follows after the delay. */
  readonly onSignal: () => void;
  readonly close: () => Promise<void>;
  /** Ends child processes before an exit that does not wait for `close`: on a second signal, or at the time-out. */
  readonly onAbort?: () => void;
  readonly ignoredSignals?: readonly 'SIGHUP'[];
}

/** Events that end the process at once: its state is unknown, and with a listener for SIGSEGV and the like Node may hang. */
const fatalEvents = [
  ...(['uncaughtException', 'unhandledRejection'] as const),
  ...(['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const),
];

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

/**
 * Terminals and process managers signal npm as well as the service, and npm passes its signal on: what comes so soon after
 * the first signal is not a second one.
 */
const sameSignalMs = 1_000;

/** Shuts down gracefully and exits on the first signal. Another one exits at once. */
export function closeOnSignal({ log, shutdown, onSignal, close, onAbort, ignoredSignals = [] }: ShutdownOptions): void {
  const { seconds, delaySeconds } = shutdown;
  const closing = closeWithGrace(
    {
      delay: (delaySeconds + seconds) * 1_000,
      logger: log,
      // It would take the same signal twice for a second one.
      skip: [...fatalEvents, 'beforeExit', ...signals],
      onTimeout() {
        onAbort?.();
        // Requests or a database that hang until then are no failure of the shutdown.
        process.exit(0);
      },
    },
    async () => {
      onSignal();
      await sleep(delaySeconds * 1_000);
      await close();
    },
  );
  let signalledAt: number | undefined;
  const listener = () => {
    if (signalledAt === undefined) {
      signalledAt = performance.now();
      closing.close();
    } else if (performance.now() - signalledAt >= sameSignalMs) {
      onAbort?.();
      process.exit(1);
    }
  };
  for (const signal of signals) if (!ignoredSignals.some(ignored => ignored === signal)) process.on(signal, listener);
}

/** The part of the shutdown time that is for requests; the rest is for closing the database. */
const requestShare = 0.75;

/** Drains connections, then closes the server. */
export async function drainAndClose(app: FastifyInstance, { seconds }: Config['shutdown']): Promise<void> {
  const requestSeconds = seconds * requestShare;
  const aborted = await app.drain.finish(requestSeconds * 1_000);
  if (aborted > 0) app.log.warn(`${aborted} requests were cut off after ${requestSeconds} seconds`);
  await app.close();
}

/** Logs unhandled rejections of the database, whose requests have got their 503 already; any other is a bug and ends the process. */
export function tolerateDatabaseRejections(log: FastifyBaseLogger): void {
  process.on('unhandledRejection', error => {
    if (!toUnavailable(error)) throw error;
    log.warn({ err: error }, 'Unhandled rejection: the database is unavailable');
  });
}
