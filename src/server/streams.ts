import { InvalidInput } from '@carte/base/errors';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { HoldRequest } from '../events/polling.ts';
import { createOpenStreams, type OpenStream, type OpenStreams } from '../graphql/subscriptions/open-streams.ts';
import { ClientGone, endOf, Replaced } from '../graphql/subscriptions/subscribe.ts';
import { currentRecord } from './requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Of subscriptions, and requests that wait for events. */
    readonly streams: OpenStreams;
    readonly holdRequest: HoldRequest;
  }
}

/** Decorates the server with its open streams and the requests that wait among them; subscriptions end them all at a shutdown. */
export const streams = fp(
  async (app: FastifyInstance) => {
    const { config, metrics } = app;
    const open = createOpenStreams({
      limits: config.streams,
      renew: app.renewKey,
      onClosed({ transport, keyId, scope, field, seconds, events }, end) {
        metrics.streamEnded(transport, end);
        // A request that has waited has a line of its own.
        if (transport === 'poll') return;
        const kind = scope.publishable ? { publishable: true } : {};
        app.log.info({ key: keyId, ...kind, transport, field, seconds: Math.round(seconds), events, end }, 'stream');
      },
    });
    metrics.watchStreams(open.counts);
    app.decorate('streams', open);
    app.decorate('holdRequest', createHold(open));
  },
  { name: 'streams', dependencies: ['authentication', 'fair-shares', 'metrics', 'requests'] },
);

function createHold(streams: OpenStreams): HoldRequest {
  const waiting = new Map<string, OpenStream>();
  return async (subject, wait) => {
    const record = currentRecord();
    const reply = record?.reply;
    const caller = reply?.request.caller;
    const key = reply?.request.headers['x-api-key'];
    if (!reply || !caller || !record?.share || typeof key !== 'string')
      throw cannotWait('only requests over HTTP wait');
    if (record.heldMs !== undefined) throw cannotWait('another field of the same request waits already');
    const name = `${record.share.id} ${subject}`;
    const replaced = waiting.get(name);
    replaced?.abort(new Replaced());
    // At once: the limits count it no longer.
    replaced?.close('replaced');
    const stream = streams.open(key, caller, 'poll', record.share);
    const heldAt = performance.now();
    record.heldMs = 0;
    waiting.set(name, stream);
    const onGone = () => stream.abort(new ClientGone());
    const { socket } = reply.request.raw;
    // A client that closes its side only still gets a page.
    socket.once('end', onGone).once('close', onGone);
    // Another field has failed.
    reply.raw.once('finish', onGone);
    try {
      record.leaveShare?.();
      return await wait(stream);
    } finally {
      socket.off('end', onGone).off('close', onGone);
      reply.raw.off('finish', onGone);
      if (waiting.get(name) === stream) waiting.delete(name);
      record.heldMs = performance.now() - heldAt;
      stream.close(stream.signal.aborted ? endOf(stream.signal.reason) : 'complete');
    }
  };
}

function cannotWait(reason: string): InvalidInput {
  return new InvalidInput([{ path: ['waitSeconds'], type: 'value_error', message: `must be 0: ${reason}` }]);
}
