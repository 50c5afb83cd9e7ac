import { setTimeout as sleep } from 'node:timers/promises';
import { type Query, queryOn } from '../query.ts';
import { type ConnectionOptions, type Connections, connectTo } from './connections.ts';
import { beginning, hasReached, shownBy, stateOf } from './position.ts';

export interface ReplicaOptions extends ConnectionOptions {
  /** What the replica must be a replica of. */
  readonly identity: () => Promise<string>;
  /** Told when the replica is left out, and why, and when it is taken back. */
  readonly onChange: (change: { readonly isUsable: boolean; readonly reason?: unknown }) => void;
}

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly rowMode: 'array' | undefined;
}

/** What a replica answered, and the first transaction of which it may not have shown anything. */
export interface ReplicaAnswer<Row> {
  readonly rows: Row[];
  readonly shown: bigint;
}

const interval = 1_000;
const patience = 1_000;
const shortestPause = 250;
const longestPause = 2_000;

/** A read replica. While it does not answer it is left out; it is taken back when it does. */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #ended = new AbortController();
  #connections: Connections | undefined;
  #pause = shortestPause;
  #hurry = Promise.withResolvers<void>();
  /** The place in the log that was last asked for. */
  #asked = beginning;
  #behindSince: number | undefined;
  #told: boolean | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  get isUsable(): boolean {
    return this.#connections !== undefined;
  }

  /** For how long the replica has not come as far as was asked of it. */
  get behindSeconds(): number {
    return this.#behindSince === undefined ? 0 : (performance.now() - this.#behindSince) / 1_000;
  }

  /** Undefined where the replica has not come as far as a place in the log. */
  async read<Row>(log: string, statement: Statement) {
    if (!this.#connections) return undefined;
    try {
      const client = await this.#connections.reads.connect();
      try {
        return await this.#readOn<Row>(queryOn(client), log, statement);
      } finally {
        client.release();
      }
    } catch (error) {
      this.#hurry.resolve();
      throw error;
    }
  }

  /** Three statements are three snapshots: the read comes after what it must show, and before the question what it did. */
  async #readOn<Row>(
    query: Query,
    log: string,
    { text, values, rowMode }: Statement,
  ): Promise<ReplicaAnswer<Row> | undefined> {
    this.#asked = log;
    if (!this.#note(await hasReached(query, log))) return undefined;
    return { rows: await query<Row>(text, values, rowMode), shown: await shownBy(query) };
  }

  #note(reached: boolean): boolean {
    this.#behindSince = reached ? undefined : (this.#behindSince ?? performance.now());
    return reached;
  }

  /** Takes the replica in as soon as it answers, and goes on until it is closed. */
  async watch(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      this.#hurry = Promise.withResolvers();
      const connections = this.#connections ?? connectTo(this.#options);
      try {
        await within(patience, this.#probe(queryOn(connections.probe)));
        this.#takeBack(connections);
      } catch (reason) {
        this.#leaveOut(connections, reason);
      }
      const pause = this.#connections ? interval : this.#pause;
      const rest = sleep(pause, undefined, { ref: false, signal: this.#ended.signal }).catch(() => {});
      await Promise.race([rest, this.#hurry.promise]);
    }
  }

  async #probe(query: Query): Promise<void> {
    const [expected, found] = await Promise.all([this.#options.identity(), stateOf(query, this.#asked)]);
    if (found.identity !== expected) throw new Error('It is another database');
    if (!found.isStandby) throw new Error('It is no standby');
    this.#note(found.reached);
  }

  #takeBack(connections: Connections): void {
    if (this.#ended.signal.aborted) {
      connections.cut();
      return;
    }
    this.#connections = connections;
    this.#pause = shortestPause;
    this.#tell();
  }

  #leaveOut(connections: Connections, reason: unknown): void {
    connections.cut();
    this.#pause = Math.min(this.#pause * 2, longestPause);
    this.#connections = undefined;
    this.#behindSince = undefined;
    this.#tell(reason);
  }

  #tell(reason?: unknown): void {
    if (this.#told === this.isUsable || this.#ended.signal.aborted) return;
    this.#told = this.isUsable;
    this.#options.onChange({ isUsable: this.isUsable, reason });
  }

  close(): void {
    this.#ended.abort();
    this.#connections?.cut();
    this.#connections = undefined;
  }
}

async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  // An answer that has come while the process was busy is looked at first.
  const timer = setTimeout(() => setImmediate(() => reject(new Error(`No answer came within ${ms} ms`))), ms);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}
