import type { Identified, LookUp, Lookup } from '../lookup.ts';
import { type Reach, unionOf } from '../reach.ts';
import { Shared } from '../sharing.ts';
import { prepared, type Query, type Statement } from '../statement.ts';
import { currentWork, type Work } from './statements.ts';

/** Each of these numbers of identifiers has a statement that is planned once; more come as a list, planned anew. */
const numbers = [1, 2, 4, 8, 16];

/** Lookups that share statements: most of what a small statement costs is the way to the database and back. */
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
    const row = (await gathering.join(reach, id)).get(id) as Row | undefined;
    // The statement was within the reach of all who shared it.
    return row && lookup.reaches(reach, row) ? row : undefined;
  };
}

/** What goes into one statement. */
interface Batch {
  readonly ids: Set<string>;
  readonly reaches: Set<Reach>;
  /** Of the request that came first: its log and trace have the statement. */
  readonly work: Work | undefined;
}

type Selection = Pick<Lookup<Identified>, 'select' | 'column' | 'within'>;

class Gathering {
  readonly #query: Query;
  readonly #selection: Selection;
  readonly #statements = new Map<string, Statement>();
  readonly #rows = new Shared(() => this.#send());
  #batch: Batch | undefined;

  constructor(query: Query, selection: Selection) {
    this.#query = query;
    this.#selection = selection;
  }

  /** Adds to the next statement; answers all that it found. */
  join(reach: Reach, id: string): Promise<ReadonlyMap<string, Identified>> {
    this.#batch ??= { ids: new Set(), reaches: new Set(), work: currentWork.getStore() };
    this.#batch.ids.add(id);
    this.#batch.reaches.add(reach);
    return this.#rows.get();
  }

  async #send(): Promise<ReadonlyMap<string, Identified>> {
    const { ids, reaches, work } = this.#batch ?? { ids: [], reaches: [], work: undefined };
    this.#batch = undefined;
    const select = () => this.#select([...ids], unionOf([...reaches]));
    const rows = await (work ? currentWork.run(work, select) : select());
    return new Map(rows.map(row => [row.id, row]));
  }

  #select(ids: readonly string[], reach: Reach): Promise<Identified[]> {
    const number = numbers.find(size => size >= ids.length);
    const { sql, values } = this.#selection.within(reach, (number ?? 1) + 1);
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
      const { select, column } = this.#selection;
      const text = (condition: string) => `${select} where ${column} ${condition} and ${within}`;
      statement = number === undefined ? { text: text('= any($1)') } : prepared(text(`in (${places(number)})`));
      this.#statements.set(key, statement);
    }
    return statement;
  }
}

const places = (number: number) => Array.from({ length: number }, (_, at) => `$${at + 1}`).join(', ');
