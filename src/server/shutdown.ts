import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { Drain } from './drain.ts';

/** The first of these signals ends the service in good order, a second one at once. */
export function untilSignal(signals: readonly NodeJS.Signals[], onSecond = () => {}): Promise<void> {
  return new Promise(resolve => {
    let count = 0;
    for (const signal of signals) {
      process.on(signal, () => {
        count += 1;
        if (count === 1) return resolve();
        onSecond();
        process.exit(1);
      });
    }
  });
}

/** Of the time that an ending service has, this much is for requests; the rest is for closing the database. */
const shareOfRequests = 0.75;

/** Lets the world know, then ends. */
export async function shutDownGracefully(
  app: FastifyInstance,
  drain: Drain,
  { seconds, delaySeconds }: Config['shutdown'],
): Promise<void> {
  drain.begin();
  await sleep(delaySeconds * 1_000);
  await drainAndClose(app, drain, seconds);
}

/** Lets nobody in, then answers those who are in; whatever then hangs is not waited for. */
export async function drainAndClose(app: FastifyInstance, drain: Drain, seconds: number): Promise<void> {
  setTimeout(() => process.exit(0), seconds * 1_000).unref();
  const cutOff = await drain.finish(app.server, seconds * 1_000 * shareOfRequests);
  if (cutOff > 0) app.log.warn(`${cutOff} requests were cut off after ${seconds * shareOfRequests} seconds`);
  await app.close();
}
