import pg, { type Connection, type Pool, type PoolClient } from 'pg';
import type { Statement } from '../statement.ts';
import { typeParser } from './types.ts';

type Prepared = Required<Statement>;
type Callback = (error: Error | null, rows?: unknown[]) => void;

/** Runs a statement that has a name and answers its rows. */
export function queryPrepared(on: Pool | PoolClient, prepared: Prepared, values: readonly unknown[]) {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
  const done: Callback = (error, rows = []) => (error ? reject(error) : resolve(rows));
  // Known to `pg`, not to its types: what it is to tell of the end.
  const send: (query: PreparedQuery, values: undefined, callback: Callback) => void = on.query.bind(on);
  send(new PreparedQuery(prepared, values), undefined, done);
  return promise;
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/**
 * By connection, then by statement. PostgreSQL runs none whose columns have changed since it was prepared; a PgBouncer may
 * prepare it anew, but our statements name and mostly cast what they select.
 */
const described = new WeakMap<Connection, Map<string, readonly Column[]>>();

/** Not in the types of `pg`. */
interface OpenConnection extends Connection {
  readonly parsedStatements: Readonly<Record<string, string>>;
}
const { prepareValue }: { readonly prepareValue: (value: unknown) => string | Buffer | null } = Reflect.get(
  pg,
  'utils',
);

/**
 * A query of a kind that `pg` lets one add. Its own has the columns described along with every answer, and works out anew
 * how to read them, which for one row costs more than to read it. They are described once here, as the statement is planned
 * once, on each connection.
 */
class PreparedQuery {
  readonly name: string;
  readonly text: string;
  /** Set by `pg`. */
  callback: Callback | undefined;
  readonly #values: ReturnType<typeof prepareValue>[];
  readonly #rows: unknown[] = [];
  #connection: Connection | undefined;
  #columns: readonly Column[] | undefined;
  #fault: Error | undefined;

  constructor({ name, text }: Prepared, values: readonly unknown[]) {
    this.name = name;
    this.text = text;
    this.#values = values.map(value => prepareValue(value));
  }

  submit(connection: OpenConnection): void {
    const { name, text } = this;
    this.#connection = connection;
    this.#columns = described.get(connection)?.get(name);
    connection.stream.cork();
    if (connection.parsedStatements[name] === undefined) connection.parse({ name, text, types: [] }, true);
    connection.bind({ statement: name, values: this.#values }, true);
    if (!this.#columns) connection.describe({ type: 'P' }, true);
    connection.execute(null, true);
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: Pick<pg.QueryResult, 'fields'>): void {
    // Not the parsers of MikroORM's pool, which leave dates as texts: our statements select instants as milliseconds.
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: typeParser(dataTypeID) }));
    if (!this.#connection) return;
    const known = described.get(this.#connection) ?? new Map<string, readonly Column[]>();
    described.set(this.#connection, known.set(this.name, this.#columns));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#fault || !this.#columns) return;
    try {
      this.#rows.push(readRow(this.#columns, fields));
    } catch (error) {
      // Thrown from here it would end the program.
      this.#fault = error instanceof Error ? error : new Error(String(error));
    }
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    this.callback?.(this.#fault ?? null, this.#rows);
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

function readRow(columns: readonly Column[], fields: readonly (string | null)[]): object {
  const row: Record<string, unknown> = {};
  let at = 0;
  for (const { name, parse } of columns) {
    const text = fields[at++] ?? null;
    row[name] = text === null ? null : parse(text);
  }
  return row;
}
