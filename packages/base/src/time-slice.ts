/** For so long work runs without yielding to the event loop, in which other requests wait. */
const sliceMs = 2;

/** From this size on a body is handled as an expensive request: reading it takes a slice of time and more. */
export const largeBodyBytes = 256 * 1024;

/** Counts turns of the event loop in which any slice was looked at. */
let turn = 0;
let isTurnCounted = false;

function currentTurn(): number {
  if (!isTurnCounted) {
    isTurnCounted = true;
    setImmediate(() => {
      turn += 1;
      isTurnCounted = false;
    });
  }
  return turn;
}

/**
 * Work that waits for its next slice. All of it together gets one slice in each turn, each in its turn: however many requests have long work
 * under way, no turn takes longer for it.
 */
const waiting = new Set<TimeSlice>();
/** Work that gives way to other work: it goes on when no other waits, or else in one of so many slices. */
const waitingBehind = new Set<TimeSlice>();
const slicesForOthers = 8;
let givesWay = () => false;
let slices = 0;
let isResuming = false;

function resumeWaiting(endsAt = performance.now() + sliceMs): void {
  const isBehind = waiting.size === 0 || (waitingBehind.size > 0 && ++slices % slicesForOthers === 0);
  const next = isBehind ? waitingBehind : waiting;
  const [slice] = next;
  if (!slice) {
    isResuming = false;
    return;
  }
  next.delete(slice);
  if (slice.resume()) next.add(slice);
  // A tick that a microtask requests comes after all microtasks, and so after the slice of what was resumed.
  queueMicrotask(() =>
    process.nextTick(() => (performance.now() < endsAt ? resumeWaiting(endsAt) : setImmediate(() => resumeWaiting()))),
  );
}

/** Sets the function that tells whether the running work gives way to other work. */
export function setGivesWay(tell: () => boolean): void {
  givesWay = tell;
}

/** Divides long work into slices, between which the event loop handles other requests: `if (slice.isOver) await slice.yield();` */
export class TimeSlice {
  #turn = -1;
  #endsAt = 0;
  /** Parts of the work that wait. The last goes on first, so that few of them are half done, and in memory, at a time. */
  readonly #parts: (() => void)[] = [];

  /** Whether this work has had its time in this turn; a new turn, e.g. after a statement, begins a new slice. */
  get isOver(): boolean {
    const now = performance.now();
    if (this.#turn !== currentTurn()) {
      this.#turn = turn;
      this.#endsAt = now + sliceMs;
    }
    return now >= this.#endsAt;
  }

  /** Resolves in a later turn of the event loop, with a new slice. */
  async yield(): Promise<void> {
    await new Promise<void>(resume => {
      this.#parts.push(resume);
      (givesWay() ? waitingBehind : waiting).add(this);
      if (isResuming) return;
      isResuming = true;
      setImmediate(() => resumeWaiting());
    });
    this.#turn = -1;
  }

  /** Lets one part go on; true if others wait. */
  resume(): boolean {
    this.#parts.pop()?.();
    return this.#parts.length > 0;
  }
}

/** The steps of long work, between which it may stop for a turn of the event loop; a step takes some microseconds. */
export type Steps<Result> = Generator<undefined, Result>;

/** Whether work in a loop may stop at this index, where single elements take much less time than a step should. */
export const isPause = (index: number): boolean => index % 32 === 31;

/** Short steps between two looks at the clock, which takes as long as one of them. */
const shortStepsPerLook = 8;

/** Runs steps to their end: at once if they take one slice, or else over several turns of the event loop. */
export function runInSlices<Result>(
  steps: Steps<Result>,
  slice = new TimeSlice(),
  stepsPerLook = shortStepsPerLook,
): Result | Promise<Result> {
  for (let count = 0; ; count++) {
    // Also before the first step: other work may have had the slice.
    if (count % stepsPerLook === 0 && slice.isOver)
      return slice.yield().then(() => runInSlices(steps, slice, stepsPerLook));
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs steps to their end without yielding, where no request waits. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
