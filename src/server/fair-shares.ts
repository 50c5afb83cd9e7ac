import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TooManyRequests, Unavailable } from '@carte/base/errors';
import { TimeSlice } from '@carte/base/time-slice';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../config.ts';
import { currentRequest, currentShare, type Share } from '../scheduling/current-request.ts';
import { FairQueue, type FairQueueOptions } from '../scheduling/fair-queue.ts';
import { currentRecord, type RequestRecord } from './requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly shares: FairShares;
    sharesOf(share: Share): FairShares['guests'];
    /** Runs the current request when it is the turn of its caller. */
    runRequest<T>(task: () => Promise<T>): Promise<T>;
    /** Runs the expensive part of the current request when it is the turn of its caller. */
    runExpensive<T>(task: () => Promise<T>): Promise<T>;
    /**
     * Throws `Unavailable` while the event loop or the connection pool is saturated: first for requests without a key and for guests, and then for keys
     * with more requests under way than their share. A key that this process has not seen may be any: it is rejected only with all.
     */
    assertNotOverloaded(share: Share | 'unseen' | undefined): void;
    isOverloaded(): boolean;
  }
}

/** Decorates the server with the shares of its callers. */
export const fairShares = fp(
  async (app: FastifyInstance) => {
    const shares = createFairShares(app.config.shares);
    const sharesOf = ({ isGuest }: Share) => (isGuest ? shares.guests : shares.keys);
    app.decorate('shares', shares);
    app.decorate('sharesOf', sharesOf);
    app.decorate('runRequest', task => {
      const share = currentShare();
      return sharesOf(share).requests.run(share.id, async leave => {
        const record = currentRecord();
        if (record) record.leaveShare = leave;
        // One in a turn of the event loop: what others send is handled between two of them.
        if (share.isGuest) await new TimeSlice().yield();
        assertGuestIsThere(share, record);
        return task();
      });
    });
    app.decorate('runExpensive', async task => {
      const share = currentShare();
      const { expensive, responses } = sharesOf(share);
      const request = currentRequest.getStore();
      const record = currentRecord();
      // It only waits from now on: what is cheap goes ahead.
      if (!record?.isExpensive) record?.leaveShare?.();
      const reply = record && !record.isExpensive ? record.reply : undefined;
      const leaveResponses = reply && (await holdUntilClosed(responses, share.id, reply.raw));
      if (reply && share.isGuest) {
        const timer = setTimeout(() => reply.raw.destroy(), maxGuestResponseMs).unref();
        reply.raw.once('close', () => clearTimeout(timer));
      }
      return expensive.run(share.id, leaveExpensive => {
        if (request) request.isExpensive = true;
        if (record) {
          record.leaveShare = () => {
            leaveResponses?.();
            leaveExpensive();
          };
        }
        assertGuestIsThere(share, record);
        return task();
      });
    });
  },
  { name: 'fair-shares' },
);

/** What is within the published sizes is not refused, but waits; most clients give up then. */
const keyWaiting = { maxWaiting: 1_000, maxWaitMs: 60_000 };
const guestWaiting = { maxWaiting: 50, maxWaitMs: 10_000 };
/** Shorter than the timeout for receiving a request, which goes on while a large body waits. */
const maxUploadWaitMs = 8_000;

type QueueOptions = Omit<FairQueueOptions, 'createError'>;

function createQueue(who: string, what: string, options: QueueOptions): FairQueue {
  const message = `${who} has more ${what} under way than its share (${options.perKey} at a time); send fewer at once.`;
  return new FairQueue({ ...options, createError: () => new TooManyRequests(message, { retryAfterSeconds: 1 }) });
}

type FairShares = ReturnType<typeof createFairShares>;

/**
 * What callers share in this process. Each gets its turn, so that none waits for what another has asked for. Those of guests are apart:
 * whoever has a secret key is served as if no guest were there.
 */
function createFairShares({ requestsPerKey, expensive }: Config['shares']) {
  const ofKeys = (what: string, options: Partial<QueueOptions> & { readonly perKey: number }) =>
    createQueue('This API key', what, { width: Number.POSITIVE_INFINITY, ...keyWaiting, ...options });
  /** Sizes for all guests together, and for one. */
  const ofGuests = (what: string, size: Pick<QueueOptions, 'width' | 'perKey'>) =>
    createQueue('This address, with a publishable key,', what, { ...size, ...guestWaiting });
  return {
    keys: {
      requests: ofKeys('requests', { perKey: requestsPerKey }),
      /** Requests and events that take long or load much, e.g. the first rendering of a menu. */
      expensive: ofKeys('expensive requests', { width: expensive, perKey: Math.ceil(expensive / 4) }),
      /** Expensive requests until their responses, which are large, are sent: a slow client keeps them in memory. */
      responses: ofKeys('expensive responses', { perKey: 3 }),
      /** Missed events of streams: enough for a key to catch up, and to leave connections of the pool to live events and requests. */
      replay: ofKeys('missed events', { width: 6, perKey: 4 }),
      /** Large bodies, until the response is sent; guests have none. */
      uploads: ofKeys('large bodies', { width: 32, perKey: 16, maxWaitMs: maxUploadWaitMs }),
    },
    guests: {
      requests: ofGuests('requests', { width: 16, perKey: 4 }),
      expensive: ofGuests('expensive requests', { width: 2, perKey: 1 }),
      responses: ofGuests('expensive responses', { width: 8, perKey: 2 }),
      replay: ofGuests('missed events', { width: 2, perKey: 1 }),
    },
  };
}

/**
 * A guest who leaves while waiting has nothing done for it. Others may write and leave, or close their side and wait for the response, which cannot be
 * told apart; browsers do neither.
 */
function assertGuestIsThere({ isGuest }: Share, record: RequestRecord | undefined): void {
  const socket = isGuest ? record?.reply?.request.raw.socket : undefined;
  if (socket?.destroyed || socket?.readableEnded) throw new Unavailable('The client has closed the connection.');
}

/** For so long an expensive request of a guest may last, with the sending of its response: who does not read keeps others waiting. */
const maxGuestResponseMs = 60_000;

/** Takes a slot until the response is sent, or the returned function is called; the client may leave while it waits. */
export async function holdUntilClosed(queue: FairQueue, id: string, response: ServerResponse): Promise<() => void> {
  if (!queue.tryEnter(id)) await queue.enter(id);
  let isIn = true;
  const leave = () => {
    if (isIn) queue.leave(id);
    isIn = false;
  };
  if (response.destroyed) leave();
  else response.once('close', leave);
  return leave;
}

/**
 * Creates a function that counts the connection of a guest's request, and returns whether it may be kept alive: not beyond half of all that
 * may be open, so that others can connect.
 */
export function createGuestConnections({ http, processes }: Config): (socket: Socket) => boolean {
  const sockets = new Set<Socket>();
  const max = Math.max(1, Math.floor(http.maxConnections / 2 / processes));
  return socket => {
    if (sockets.has(socket)) return true;
    if (sockets.size >= max) return false;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return true;
  };
}

/** From so many times a limit on, load is shed for every key. */
const severity = 4;

/** Sheds load with 503, so that a request that would have to wait for long is rejected at once. */
export const loadShedding = fp(
  async (app: FastifyInstance) => {
    const { maxWaiting, maxDelayMs } = app.config.loadLimits;
    const { pool, connections, writes, guestConnections, guestWrites } = app.database;
    const { keys, guests } = app.shares;
    // Without limits the plugin samples only: its own hook would also reject requests for health and metrics.
    await app.register(underPressure, {});
    const waitingIn = (...queues: readonly FairQueue[]) => queues.reduce((sum, { counts }) => sum + counts.waiting, 0);
    const isOverloaded = (times = 1) => {
      const { eventLoopDelay } = app.memoryUsage();
      // The delay is infinite where the event loop has not run for a whole interval, as during the start.
      const isLate = eventLoopDelay > maxDelayMs * times && eventLoopDelay !== Number.POSITIVE_INFINITY;
      // Keys are looked up outside of the shares.
      return isLate || pool.waitingCount + waitingIn(connections, writes, keys.requests) > maxWaiting * times;
    };
    const ofGuests = [guests.requests, guests.expensive, guests.responses, guestConnections, guestWrites];
    const haveTooManyGuests = () => waitingIn(...ofGuests) > maxWaiting;
    app.decorate('isOverloaded', () => isOverloaded());
    app.decorate('assertNotOverloaded', share => {
      const known = share === 'unseen' ? undefined : share;
      // What guests wait for is their own: nobody else is rejected for it.
      if (!isOverloaded() && !(known?.isGuest && haveTooManyGuests())) return;
      const isWithinShare = known && !known.isGuest && !keys.requests.exceedsShare(known.id);
      if ((isWithinShare || share === 'unseen') && !isOverloaded(severity)) return;
      throw new Unavailable('The service has more to do than it can at the moment.', { retryAfterSeconds: 1 });
    });
  },
  { name: 'load-shedding', dependencies: ['database', 'fair-shares'] },
);
