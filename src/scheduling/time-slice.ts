import { setImmediate as nextTurn } from 'node:timers/promises';

/** For so long work runs without yielding to the event loop, in which other requests wait. */
const sliceMs = 5;

/** Divides long work into slices, between which the event loop handles other requests: `if (slice.isOver) await slice.yield();` */
export class TimeSlice {
  #endsAt = performance.now() + sliceMs;

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Resolves in a later turn of the event loop, with a new slice. */
  async yield(): Promise<void> {
    await nextTurn();
    this.#endsAt = performance.now() + sliceMs;
  }
}
