import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { runDueTimes } from '../events/due-times.ts';

/** Ends pauses and the like at the time that was set, while the server runs. */
export const dueTimes = fp(
  async (app: FastifyInstance) => {
    const closed = new AbortController();
    let running: Promise<void> | undefined;
    const onError = (error: unknown) =>
      app.log.warn({ err: error }, 'What is due could not be ended; it is tried again');
    app.addHook('onReady', async () => {
      running = runDueTimes(app.database.orm, { onError }, closed.signal);
    });
    app.addHook('onClose', async () => {
      closed.abort();
      await running;
    });
  },
  { name: 'due-times', dependencies: ['database'] },
);
