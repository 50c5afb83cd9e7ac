import type { Pool } from 'pg';
import { currentRequest } from '../../src/scheduling/current-request.ts';

/** Counts what requests really send to the database, whichever library sends it; not what goes on beside them. */
export class StatementCounter {
  readonly #texts: string[] = [];

  watch(pool: Pool): void {
    pool.on('connect', client => {
      const send = client.query.bind(client);
      const counted = (...args: unknown[]) => {
        const [query] = args;
        const text = typeof query === 'string' ? query : String((query as { text?: unknown }).text);
        if (isOfRequest(text)) this.#texts.push(text);
        return Reflect.apply(send, client, args);
      };
      Object.assign(client, { query: counted });
    });
  }

  /** The statements of the requests that an action makes; what it sends itself counts as those of a request. */
  async during<T>(action: () => Promise<T>): Promise<{ readonly result: T; readonly statements: readonly string[] }> {
    const before = this.#texts.length;
    const result = await currentRequest.run({ statements: 0, trace: undefined }, action);
    return { result, statements: this.#texts.slice(before) };
  }
}

function isOfRequest(text: string): boolean {
  const request = currentRequest.getStore();
  // The last use of keys is recorded later, with the time limit of a request.
  return request !== undefined && !request.isWorker && !text.includes('set last_used_at');
}
