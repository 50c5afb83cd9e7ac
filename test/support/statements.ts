import type { Pool } from 'pg';

/** Counts what really goes to the database, whichever library sends it. */
export class StatementCounter {
  readonly texts: string[] = [];

  watch(pool: Pool): void {
    pool.on('connect', client => {
      const send = client.query.bind(client);
      const counted = (...args: unknown[]) => {
        const [query] = args;
        const text = typeof query === 'string' ? query : String((query as { text?: unknown }).text);
        // The last use of keys is recorded at some later time, and due times are looked for, beside any request.
        if (!/set last_used_at|min\(due_at\)/.test(text)) this.texts.push(text);
        return Reflect.apply(send, client, args);
      };
      Object.assign(client, { query: counted });
    });
  }

  /** The statements that an action sends. */
  async during<T>(action: () => Promise<T>): Promise<{ readonly result: T; readonly statements: readonly string[] }> {
    const before = this.texts.length;
    const result = await action();
    return { result, statements: this.texts.slice(before) };
  }
}
