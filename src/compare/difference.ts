export type Place = readonly (string | number)[];

/** What a difference is in: a thing by its identifier or, around all things, an answer by its address. */
export interface Subject {
  /** As the graph calls it. */
  readonly type: string;
  readonly id: string;
  /** Whether the identifier is one of many stores' own, rather than one of the service. */
  readonly local: boolean;
}

/**
 * `value`: both have one, and they differ. `shape`: a field is there on one side only, or its JSON type differs.
 * `missing`: a whole thing is there on one side only. `order`: the same things, in another order. `status`: of HTTP.
 */
export type DifferenceKind = 'value' | 'shape' | 'missing' | 'order' | 'status';

export interface Difference {
  readonly kind: DifferenceKind;
  readonly subject: Subject;
  /** Within the subject. */
  readonly field: Place;
  /** Within the body: the old one's or, for what is there alone, the new one's. */
  readonly place: Place;
  /** Undefined where there is nothing. */
  readonly old: unknown;
  readonly new: unknown;
}

export type Report = (difference: Difference) => void;

/** Where a comparison of two bodies has got to. */
export class Walk {
  readonly #report: Report;
  readonly #place: (string | number)[] = [];
  #subject: Subject;
  #depth = 0;

  /** How many differences were found. */
  found = 0;

  constructor(answer: Subject, report: Report) {
    this.#subject = answer;
    this.#report = report;
  }

  at(key: string | number, work: () => void): void {
    this.#place.push(key);
    work();
    this.#place.pop();
  }

  within(subject: Subject, work: () => void): void {
    const [outer, depth] = [this.#subject, this.#depth];
    this.#subject = subject;
    this.#depth = this.#place.length;
    work();
    this.#subject = outer;
    this.#depth = depth;
  }

  report(kind: DifferenceKind, before: unknown, after: unknown): void {
    const place = [...this.#place];
    const field = place.slice(this.#depth);
    this.found++;
    this.#report({ kind, subject: this.#subject, field, place, old: before, new: after });
  }
}
