/**
 * What a request has found by identifiers, so that it asks for nothing twice. It need not gather what is asked for at the
 * same time, as a DataLoader does: a `LookUp` does that, for all requests together.
 */
export class Remembered<Value> {
  readonly #find: (id: string) => Promise<Value>;
  readonly #known = new Map<string, Value | Promise<Value>>();

  constructor(find: (id: string) => Promise<Value>) {
    this.#find = find;
  }

  /** No promise where it is at hand: a list has many of the same, and waiting for each costs more than all else. */
  load(id: string): Value | Promise<Value> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const found = this.#find(id).then(value => {
      this.#known.set(id, value);
      return value;
    });
    this.#known.set(id, found);
    return found;
  }

  /** Takes note of something that came by another way. What is known already stays. */
  prime(id: string, value: Value): void {
    if (!this.#known.has(id)) this.#known.set(id, value);
  }
}
