import type { IncomingMessage } from 'node:http';
import type { RouteShorthandOptions } from 'fastify';

const heads = new WeakSet<IncomingMessage>();

/** Hooks by which a route handles HEAD as GET, since Apollo refuses it; Fastify leaves out the body, and gives its length. */
export const headAsGet = {
  onRequest({ raw }, _reply, done) {
    if (raw.method === 'HEAD') {
      heads.add(raw);
      raw.method = 'GET';
    }
    done();
  },
  onSend({ raw }, _reply, payload, done) {
    if (heads.has(raw)) raw.method = 'HEAD';
    done(null, payload);
  },
} satisfies RouteShorthandOptions;
