import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Results } from './subscribe.ts';

/** Shorter than the idle time-outs of proxies, of which a minute is common. */
const keepAliveMs = 12_000;
/** After the client has closed its side, which may mean that it has left: only a write shows that. */
const halfClosedKeepAliveMs = 500;
const comment = ':\n\n';
const maxBytes = 16 * 1024;

/** Whether a client takes results as Server-Sent Events; some list the type for every operation, beside JSON. */
export function acceptsEventStream({ headers, method }: FastifyRequest): boolean {
  return method !== 'HEAD' && headers.accept?.includes('text/event-stream') === true;
}

/** Whether it takes nothing else, so that also errors of the request are sent as an event. */
export function acceptsOnlyEventStream(request: FastifyRequest): boolean {
  return acceptsEventStream(request) && !/json|\*\/\*/.test(request.headers.accept ?? '');
}

/**
 * Sends results as Server-Sent Events, in the distinct connections mode of the GraphQL over SSE protocol. The server of graphql-sse is not used: it
 * queues results without a limit for a client that does not read (docs/decisions/0018).
 */
export function sendEventStream(reply: FastifyReply, results: Results): FastifyReply {
  const { socket } = reply.request.raw;
  return reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('x-accel-buffering', 'no')
    .send(toEvents(results, socket));
}

/** Takes the next result when the last one is on its way to the client. */
function toEvents(results: Results, socket: Socket): Readable {
  let isPending = false;
  const body = new Readable({
    highWaterMark: maxBytes,
    read() {
      if (isPending) return;
      isPending = true;
      void pushNext();
    },
    destroy(error, done) {
      clearInterval(keepAlive);
      socket.off('end', onHalfClosed);
      void results.return('complete');
      done(error);
    },
  });
  const sendComment = () => {
    if (body.readableLength === 0) body.push(comment);
  };
  let keepAlive = setInterval(sendComment, keepAliveMs);
  const onHalfClosed = () => {
    clearInterval(keepAlive);
    keepAlive = setInterval(sendComment, halfClosedKeepAliveMs);
  };
  // It may have left while the stream was being opened.
  if (socket.readableEnded) onHalfClosed();
  else socket.once('end', onHalfClosed);
  // Sends the headers, so that the client knows that the stream is open.
  body.push(comment);
  return body;

  async function pushNext(): Promise<void> {
    const { done, value } = await results.next();
    isPending = false;
    if (!done) {
      const id = value.cursor === undefined ? '' : `id: ${value.cursor}\n`;
      body.push(`event: next\n${id}data: ${JSON.stringify(value.result)}\n\n`);
      return;
    }
    // Without this event the client connects again.
    if (value === 'complete') body.push('event: complete\ndata:\n\n');
    body.push(null);
  }
}
