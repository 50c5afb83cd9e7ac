import { parseExactJson } from './json.ts';

/** A JSON array of objects as text, which is parsed when it is first iterated: most are only written again, as they are. */
export class LazyJsonArray<Element> implements Iterable<Element> {
  readonly #text: string;
  #elements: Iterable<Element> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text if it is what `JSON.stringify` writes, rather than the text of another program, which would have spaces after its colons. */
  get compactText(): string | undefined {
    const text = this.#text;
    // Colons are rarer than quotation marks, so the first search is faster than the second alone.
    const isCompact = text.startsWith('[{"') && !(text.includes(': ') && text.includes('": '));
    return isCompact ? text : undefined;
  }

  [Symbol.iterator](): Iterator<Element> {
    this.#elements ??= parseExactJson(this.#text) as Iterable<Element>;
    return this.#elements[Symbol.iterator]();
  }

  toJSON(): unknown {
    return [...this];
  }
}
