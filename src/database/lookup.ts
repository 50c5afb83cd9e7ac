import type { Identified, LookUp, Lookup } from '../lookup.ts';
import { type Reach, unionOf } from '../reach.ts';
import { prepared, type Query, type Statement } from '../statement.ts';
import { currentWork, type Work } from './statements.ts';

/** How long to wait for a statement that is under way, in milliseconds; most take less, and a stuck one holds up nobody. */
const patience = 10;

/** Each of these numbers of identifiers has a statement that is planned once; more come as a list, planned anew. */
const numbers = [1, 2, 4, 8, 16];

/**
 * Lookups that share statements: most of what a small statement costs is the way to the database and back. Who asks while
 * one is under way gets the next. A statement thus begins after all have asked who get a row of it, and nobody sees
 * anything older than with a statement of their own.
 */
export function createLookUp(query: Query): LookUp {
  const gatherings = new WeakMap<object, Gathering>();
  return async <Row extends Identified>(lookup: Lookup<Row>, reach: Reach, id: string) => {
    // PostgreSQL refuses texts with NUL, so nothing can have such an identifier.
    if (id.includes('\0')) return undefined;
    let gathering = gatherings.get(lookup);
    if (!gathering) {
      gathering = new Gathering(query, lookup);
      gatherings.set(lookup, gathering);
    }
    const row = (await gathering.find(reach, id)) as Row | undefined;
    // The statement was within the reach of all who shared it.
    return row && lookup.reaches(reach, row) ? row : undefined;
  };
}

/** What goes into one statement. */
interface Batch {
  readonly wanted: Map<string, PromiseWithResolvers<Identified | undefined>>;
  readonly reaches: Set<Reach>;
  /** Of the request that came first: its log and trace have the statement. */
  readonly work: Work | undefined;
  timer?: NodeJS.Timeout;
}

class Gathering {
  readonly #query: Query;
  readonly #lookup: Pick<Lookup<Identified>, 'select' | 'column' | 'within'>;
  readonly #statements = new Map<string, Statement>();
  #next: Batch | undefined;
  #underWay = 0;

  constructor(query: Query, lookup: Pick<Lookup<Identified>, 'select' | 'column' | 'within'>) {
    this.#query = query;
    this.#lookup = lookup;
  }

  find(reach: Reach, id: string): Promise<Identified | undefined> {
    this.#next ??= this.#open();
    const { wanted, reaches } = this.#next;
    reaches.add(reach);
    let awaited = wanted.get(id);
    if (!awaited) {
      awaited = Promise.withResolvers();
      wanted.set(id, awaited);
    }
    return awaited.promise;
  }

  #open(): Batch {
    const batch: Batch = { wanted: new Map(), reaches: new Set(), work: currentWork.getStore() };
    // All that has arrived by now comes along.
    if (this.#underWay === 0) setImmediate(() => this.#send(batch));
    else batch.timer = setTimeout(() => this.#send(batch), patience);
    return batch;
  }

  async #send(batch: Batch): Promise<void> {
    if (batch !== this.#next) return;
    this.#next = undefined;
    clearTimeout(batch.timer);
    this.#underWay += 1;
    try {
      const select = () => this.#select([...batch.wanted.keys()], unionOf([...batch.reaches]));
      const rows = await (batch.work ? currentWork.run(batch.work, select) : select());
      const byId = new Map(rows.map(row => [row.id, row]));
      for (const [id, { resolve }] of batch.wanted) resolve(byId.get(id));
    } catch (error) {
      for (const { reject } of batch.wanted.values()) reject(error);
    }
    this.#underWay -= 1;
    if (this.#next) void this.#send(this.#next);
  }

  #select(ids: readonly string[], reach: Reach): Promise<Identified[]> {
    const number = numbers.find(size => size >= ids.length);
    const { sql, values } = this.#lookup.within(reach, (number ?? 1) + 1);
    const statement = this.#statement(number, sql);
    if (number === undefined) return this.#query(statement, [ids, ...values]);
    // Asking for one of them again changes nothing.
    const again = Array.from({ length: number - ids.length }, () => ids[0]);
    return this.#query(statement, [...ids, ...again, ...values]);
  }

  /** For so many identifiers, or for a list of them. */
  #statement(number: number | undefined, within: string): Statement {
    const key = `${number} ${within}`;
    let statement = this.#statements.get(key);
    if (!statement) {
      const { select, column } = this.#lookup;
      const text = (condition: string) => `${select} where ${column} ${condition} and ${within}`;
      statement = number === undefined ? { text: text('= any($1)') } : prepared(text(`in (${places(number)})`));
      this.#statements.set(key, statement);
    }
    return statement;
  }
}

const places = (number: number) => Array.from({ length: number }, (_, at) => `$${at + 1}`).join(', ');
