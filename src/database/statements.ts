import { AsyncLocalStorage } from 'node:async_hooks';
import { connect } from 'node:net';
import pg from 'pg';
import { statementName } from './query.ts';

/** The statements of one request. */
export interface RequestStatements {
  statements: number;
  /** Starts a span for a statement; the function that it returns ends the span. */
  readonly trace: ((text: string) => (error: unknown) => void) | undefined;
}

/** The request that the running code belongs to; undefined in commands, in migrations and at startup. */
export const currentRequest = new AsyncLocalStorage<RequestStatements | undefined>();

export interface StatementOptions {
  /** Timeout of a request's statements; those outside of a request have none. */
  readonly statementSeconds: number;
  /** Whether named statements are prepared. */
  readonly prepare: boolean;
}

type Release = (error?: Error | boolean) => void;

/** The `Client` class for a pool: prepares named statements, counts and traces those of each request, and cancels slow ones. */
export function createClientClass({ statementSeconds, prepare }: StatementOptions): typeof pg.Client {
  const timeoutMs = statementSeconds * 1_000;
  return class extends pg.Client {
    #release: Release = () => {};

    constructor(...args: ConstructorParameters<typeof pg.Client>) {
      super(...args);
      // Kysely's controlled transaction releases no client when begin, commit or rollback fails (kysely-org/kysely#1990).
      this.once('end', () => this.release(true));
    }

    get release(): Release {
      return this.#release;
    }

    /** The pool assigns a new function at each checkout, and throws when it is called twice. */
    set release(release: Release) {
      let isReleased = false;
      this.#release = error => {
        if (isReleased) return;
        isReleased = true;
        release(error);
      };
    }

    // One signature stands for all overloads of `pg`; its callers see theirs.
    override query(...given: unknown[]): never {
      const text = textOf(given[0]);
      const args = prepare ? withName(text, given) : given;
      const send = (...sent: unknown[]) => Reflect.apply(super.query, this, sent);
      const request = currentRequest.getStore();
      return (request ? observe(this, { request, text, args, send, timeoutMs }) : send(...args)) as never;
    }
  };
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : '';
}

function withName(text: string, args: unknown[]): unknown[] {
  const name = statementName(text);
  if (name === undefined) return args;
  const [query, ...rest] = args;
  if (typeof query !== 'string') return [Object.assign(query as object, { name }), ...rest];
  const [values, ...others] = rest;
  return [{ name, text, values }, ...others];
}

interface Sending {
  readonly request: RequestStatements;
  readonly text: string;
  readonly args: readonly unknown[];
  readonly send: (...args: unknown[]) => unknown;
  readonly timeoutMs: number;
}

function observe(client: pg.Client, { request, text, args, send, timeoutMs }: Sending): unknown {
  request.statements += 1;
  const endSpan = request.trace?.(text);
  let endClient: (() => void) | undefined;
  const timer = setTimeout(() => {
    endClient = cancelStatement(client);
  }, timeoutMs);
  const end = (error: unknown) => {
    clearTimeout(timer);
    endClient?.();
    endSpan?.(error);
  };
  const callback = args.at(-1);
  if (typeof callback === 'function') {
    return send(...args.slice(0, -1), (error: unknown, ...results: unknown[]) => {
      end(error);
      callback(error, ...results);
    });
  }
  const sent = send(...args);
  return sent instanceof Promise ? untilSettled(sent, end) : sent;
}

async function untilSettled<T>(sent: Promise<T>, end: (error: unknown) => void): Promise<T> {
  try {
    const result = await sent;
    end(undefined);
    return result;
  } catch (error) {
    end(error);
    throw error;
  }
}

const cancelRequestCode = 80_877_102;
const cancelTimeoutMs = 2_000;

/**
 * Sends a CancelRequest on a second connection, as the protocol defines it, which works through PgBouncer and leaves no setting in
 * the session; a statement that runs on is ended with its connection. Returns the function to call when the statement has ended: it
 * ends the connection, since a late CancelRequest would hit the next statement.
 */
function cancelStatement(client: pg.Client): () => void {
  sendCancelRequest(client);
  const end = () => {
    clearTimeout(timer);
    // Closes gracefully when no statement is active, and destroys the socket otherwise.
    void client.end();
  };
  const timer = setTimeout(end, cancelTimeoutMs);
  return end;
}

function sendCancelRequest(client: pg.Client): void {
  // `pg` has both, but does not document them.
  const [processId, secretKey]: unknown[] = [Reflect.get(client, 'processID'), Reflect.get(client, 'secretKey')];
  if (typeof processId !== 'number' || typeof secretKey !== 'number') return;
  const message = Buffer.alloc(16);
  for (const [index, number] of [message.length, cancelRequestCode, processId, secretKey].entries()) {
    message.writeInt32BE(number, index * 4);
  }
  const { host, port } = client;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // Where the server is unreachable, the timeout ends the connection.
  socket.on('error', () => {}).setTimeout(cancelTimeoutMs, () => socket.destroy());
  // The server closes this connection. A PgBouncer before 1.20 crashes when the client closes it first.
  socket.resume().write(message);
}
