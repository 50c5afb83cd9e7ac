import { ResponseTooLarge } from '../errors.ts';
import { isPause, TimeSlice } from '../scheduling/time-slice.ts';
import type { Chunk } from './json-writer.ts';

/** A promise only where a field has to be loaded: most fields of a menu are in memory, and awaiting costs more than writing. */
export type PromiseOrValue<Value> = Value | Promise<Value>;

export interface RenderingOptions {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: unknown;
  /** Aborts rendering with a RangeError beyond it; for queries, whose size no contract bounds. */
  readonly maxBytes?: number;
  /** Likewise for the objects in lists, with `ResponseTooLarge`. */
  readonly maxObjects?: number;
}

/** The state of rendering one response: the arguments of its resolvers and the chunks rendered so far. */
export class Rendering {
  readonly variables: RenderingOptions['variables'];
  readonly context: unknown;
  readonly maxBytes: number | undefined;
  /** By compiled selection, then by object. */
  readonly chunks = new Map<object, Map<unknown, PromiseOrValue<Chunk>>>();
  /** Argument values by field of the document. */
  readonly args = new Map<object, Record<string, unknown>>();

  /** Created for the first long list. */
  #slice: TimeSlice | undefined;
  #isSliceOver = false;
  #elements = 0;
  #objectsLeft: number;

  constructor({ variables, context, maxBytes, maxObjects = Number.POSITIVE_INFINITY }: RenderingOptions) {
    this.#objectsLeft = maxObjects;
    this.variables = variables;
    this.context = context;
    this.maxBytes = maxBytes;
  }

  countObjects(count: number): void {
    this.#objectsLeft -= count;
    if (this.#objectsLeft < 0) throw new ResponseTooLarge('The response has too many objects in lists; request less.');
  }

  /** Whether the next element of a list is to be rendered in a later turn of the event loop: then those of the lists around it are, too. */
  isSliceOver(): boolean {
    if (!this.#isSliceOver && isPause(this.#elements++)) {
      this.#slice ??= new TimeSlice();
      this.#isSliceOver = this.#slice.isOver;
    }
    return this.#isSliceOver;
  }

  async yield(): Promise<void> {
    await this.#slice?.yield();
    this.#isSliceOver = false;
  }
}
