import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import type { Drain } from './http/drain.ts';

/** The first signal ends the service in good order, a second one at once. */
export function untilSignal(): Promise<void> {
  return new Promise(resolve => {
    let signals = 0;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        signals += 1;
        if (signals > 1) process.exit(1);
        resolve();
      });
    }
  });
}

/** Of the time that an ending service has, this much is for requests; the rest is for closing the database. */
const shareOfRequests = 0.75;

/** Lets the world know, then lets nobody in, then answers those who are in; whatever then hangs is not waited for. */
export async function shutDown(
  app: FastifyInstance,
  drain: Drain,
  { seconds, delaySeconds }: Config['shutdown'],
): Promise<void> {
  drain.begin();
  await sleep(delaySeconds * 1_000);
  setTimeout(() => process.exit(0), seconds * 1_000).unref();
  const cutOff = await drain.finish(app.server, seconds * 1_000 * shareOfRequests);
  if (cutOff > 0) app.log.warn(`${cutOff} requests were cut off after ${seconds * shareOfRequests} seconds`);
  await app.close();
}
