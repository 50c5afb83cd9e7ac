import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

export interface Drain {
  /** True from the moment on that the service is to end: it is not ready any more. */
  readonly hasBegun: boolean;
  /** Notes the connections and requests of a server; called before it listens. */
  watch(server: Server): void;
  begin(): void;
  /**
   * Stops listening, answers what comes on open connections with `Connection: close`, and waits until all are closed, at
   * most so long. Answers how many requests were cut off.
   */
  finish(server: Server, patience: number): Promise<number>;
}

interface Visit {
  readonly answers: ServerResponse[];
  bytes: number;
  /** How many sweeps in a row have found nothing new. */
  quietSweeps: number;
}

const sweepEvery = 50;
/**
 * A client on a kept connection may have sent its next request already; one that is quiet for a second has not. Sweeps are
 * counted, since time also passes while the process gets no turn, and then what has arrived is not read before the next sweep.
 */
const quiet = 1_000 / sweepEvery;

export function createDrain(): Drain {
  const visits = new Map<Socket, Visit>();
  let hasBegun = false;
  let isClosing = false;

  const announce = (answer: ServerResponse) => {
    if (!answer.headersSent) answer.setHeader('connection', 'close');
  };

  function endQuiet(): void {
    for (const [socket, visit] of visits) {
      if (socket.bytesRead !== visit.bytes || visit.answers.length > 0) {
        visit.bytes = socket.bytesRead;
        visit.quietSweeps = 0;
      } else if (++visit.quietSweeps > quiet) {
        socket.destroy();
      }
    }
  }

  return {
    get hasBegun() {
      return hasBegun;
    },
    watch(server) {
      server.on('connection', socket => {
        visits.set(socket, { answers: [], bytes: 0, quietSweeps: 0 });
        socket.once('close', () => visits.delete(socket));
      });
      // First of all listeners: a later one may have answered already.
      server.prependListener('request', (request, answer) => {
        const answers = visits.get(request.socket)?.answers;
        answers?.push(answer);
        answer.on('close', () => {
          const at = answers?.indexOf(answer) ?? -1;
          if (at >= 0) answers?.splice(at, 1);
        });
        if (isClosing) announce(answer);
      });
    },
    begin() {
      hasBegun = true;
    },
    async finish(server, patience) {
      isClosing = true;
      for (const { answers } of visits.values()) for (const answer of answers) announce(answer);
      const closed = once(server, 'close');
      // `Server` of node:http would end kept connections too, under the requests that are on their way in them.
      NetServer.prototype.close.call(server);
      const sweep = setInterval(endQuiet, sweepEvery);
      let cutOff = 0;
      const deadline = setTimeout(() => {
        cutOff = [...visits.values()].reduce((sum, { answers }) => sum + answers.length, 0);
        server.closeAllConnections();
        for (const socket of visits.keys()) socket.destroy();
      }, patience);
      await closed;
      // A server that is handed its connections does not count them.
      for (const socket of visits.keys()) await new Promise(resolve => socket.once('close', resolve));
      clearInterval(sweep);
      clearTimeout(deadline);
      return cutOff;
    },
  };
}
