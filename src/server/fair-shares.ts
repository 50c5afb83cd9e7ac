import type { ServerResponse } from 'node:http';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../config.ts';
import { currentRequest } from '../database/client.ts';
import { TooManyRequests, Unavailable } from '../errors.ts';
import { FairQueue, type FairQueueOptions } from '../scheduling/fair-queue.ts';
import { isRecord } from './requests.ts';

/** What the requests of all keys share in this process. Each key gets its turn, so that none waits for what another has asked for. */
export interface FairShares {
  /** Requests that are executed. */
  readonly requests: FairQueue;
  /** Requests that take long or load much, e.g. the first rendering of a menu. */
  readonly expensive: FairQueue;
  /** Large bodies, from the first byte until the response is sent. */
  readonly uploads: FairQueue;
  /** Expensive requests until their responses, which are large, are sent. */
  readonly responses: FairQueue;
  /** Missed events of streams. */
  readonly replay: FairQueue;
  /** Events, live or missed, with an expensive selection. */
  readonly expensiveEvents: FairQueue;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly shares: FairShares;
    /** Requests that are executed, each with its record. */
    readonly requestShares: Pick<FairQueue, 'run'>;
    /** Runs the expensive part of the current request when it is the turn of its key. */
    runExpensive<T>(keyId: string, task: () => Promise<T>): Promise<T>;
  }
}

/** Decorates the server with the shares of the keys. */
export const fairShares = fp(
  async (app: FastifyInstance) => {
    const shares = createFairShares(app.config.shares);
    app.decorate('shares', shares);
    app.decorate('requestShares', {
      run: (keyId, task) =>
        shares.requests.run(keyId, leaveEarly => {
          const request = currentRequest.getStore();
          if (request && isRecord(request)) request.leaveShare = leaveEarly;
          return task(leaveEarly);
        }),
    });
    app.decorate('runExpensive', (keyId, task) => runExpensive(shares, keyId, task));
  },
  { name: 'fair-shares' },
);

/** Large bodies of one key, and of all, in memory at a time. */
const uploadsPerKey = 16;
const maxUploads = 32;
/** Responses of one key that a slow client keeps in memory. */
const responsesPerKey = 3;

const maxWaiting = 1_000;
/** What is within the published sizes is not refused, but waits; most clients give up then. */
const maxWaitMs = 60_000;
/** Shorter than the timeout for receiving a request, which goes on while a large body waits. */
const maxUploadWaitMs = 8_000;

/** Enough for a key to catch up, and to leave connections of the pool to live events and requests. */
const replays = { width: 6, perKey: 4 };
/** Each takes milliseconds of the event loop. */
const expensiveEvents = { width: 4, perKey: 1 };
/** As many events wait as there are streams, for as long as it takes. */
const maxEventWaitMs = 24 * 3_600_000;

async function runExpensive<T>(
  { expensive, responses }: Pick<FairShares, 'expensive' | 'responses'>,
  keyId: string,
  task: () => Promise<T>,
): Promise<T> {
  const request = currentRequest.getStore();
  const reply = request && isRecord(request) && !request.isExpensive ? request.reply : undefined;
  const leaveResponses = reply && (await holdUntilClosed(responses, keyId, reply.raw));
  return expensive.run(keyId, leaveExpensive => {
    if (request) request.isExpensive = true;
    if (request && isRecord(request)) {
      const { leaveShare } = request;
      request.leaveShare = () => {
        leaveShare?.();
        leaveResponses?.();
        leaveExpensive();
      };
    }
    return task();
  });
}

/** Takes a slot until the response is sent, or the returned function is called; the client may leave while it waits. */
export async function holdUntilClosed(queue: FairQueue, keyId: string, response: ServerResponse): Promise<() => void> {
  if (!queue.tryEnter(keyId)) await queue.enter(keyId);
  let isIn = true;
  const leave = () => {
    if (isIn) queue.leave(keyId);
    isIn = false;
  };
  if (response.destroyed) leave();
  else response.once('close', leave);
  return leave;
}

function createFairShares({ requestsPerKey, expensive }: Config['shares']): FairShares {
  const createQueue = (width: number, perKey: number, noun: string, maxWait = maxWaitMs) =>
    new FairQueue({
      width,
      perKey,
      maxWaiting,
      maxWaitMs: maxWait,
      createError: () => {
        const message = `This API key has more ${noun} under way than its share (${perKey} at a time); send fewer at once.`;
        return new TooManyRequests(message, { retryAfterSeconds: 1 });
      },
    });
  const createEventQueue = (size: Pick<FairQueueOptions, 'width' | 'perKey'>) =>
    new FairQueue({
      ...size,
      maxWaiting: Number.POSITIVE_INFINITY,
      maxWaitMs: maxEventWaitMs,
      createError: () => new Unavailable('An event has waited for too long.'),
    });
  return {
    replay: createEventQueue(replays),
    expensiveEvents: createEventQueue(expensiveEvents),
    requests: createQueue(Number.POSITIVE_INFINITY, requestsPerKey, 'requests'),
    expensive: createQueue(expensive, Math.ceil(expensive / 4), 'expensive requests'),
    responses: createQueue(Number.POSITIVE_INFINITY, responsesPerKey, 'expensive responses'),
    uploads: createQueue(maxUploads, uploadsPerKey, 'large bodies', maxUploadWaitMs),
  };
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Throws `Unavailable` while the event loop or the connection pool is saturated: first for requests without a valid key, and for keys with
     * more requests under way than their share.
     */
    assertNotOverloaded(keyId: string | undefined): void;
    isOverloaded(): boolean;
  }
}

/** From so many times a limit on, load is shed for every key. */
const severity = 4;

/** Sheds load with 503, so that a request that would have to wait for long is rejected at once. */
export const loadShedding = fp(
  async (app: FastifyInstance) => {
    const { maxWaiting, maxDelayMs } = app.config.loadLimits;
    const { pool, connections, writes } = app.database;
    const { requests } = app.shares;
    // Without limits the plugin samples only: its own hook would also reject requests for health and metrics.
    await app.register(underPressure, {});
    const isOverloaded = (times = 1) => {
      const { eventLoopDelay } = app.memoryUsage();
      // The delay is infinite where the event loop has not run for a whole interval, as during the start.
      const isLate = eventLoopDelay > maxDelayMs * times && eventLoopDelay !== Number.POSITIVE_INFINITY;
      // Keys are looked up outside of the shares.
      const queues = [connections, writes, requests];
      const waiting = queues.reduce((sum, { counts }) => sum + counts.waiting, pool.waitingCount);
      return isLate || waiting > maxWaiting * times;
    };
    app.decorate('isOverloaded', () => isOverloaded());
    app.decorate('assertNotOverloaded', keyId => {
      if (!isOverloaded()) return;
      if (keyId !== undefined && !requests.exceedsShare(keyId) && !isOverloaded(severity)) return;
      throw new Unavailable('The service has more to do than it can at the moment.', { retryAfterSeconds: 1 });
    });
  },
  { name: 'load-shedding', dependencies: ['database', 'fair-shares'] },
);
