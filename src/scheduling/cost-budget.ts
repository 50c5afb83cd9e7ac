import { TooCostly } from '@carte/base/errors';

/**
 * The cost that an operation may still have: what its selection costs is known before it is executed, what depends on the data is charged
 * before that is loaded.
 */
export class CostBudget {
  readonly #limit: number;
  cost: number;

  constructor(limit = Number.POSITIVE_INFINITY, cost = 0) {
    this.#limit = limit;
    this.cost = cost;
  }

  /** What is left. */
  get rest(): number {
    return Math.max(0, this.#limit - this.cost);
  }

  /** Throws `TooCostly` beyond the limit; `describe` names what costs so much, e.g. `menuChanges of 20,000 entities`. */
  charge(cost: number, describe: () => string): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new TooCostly(describe(), Math.round(this.cost), this.#limit);
  }
}
