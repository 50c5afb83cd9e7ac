/** A touch sends its click some time after the finger was lifted. */
const clickMs = 100;
/** A press that takes longer is no tap, e.g. text is being selected. */
const longestMs = 1000;

/**
 * Returns whether the user is about to tap. What is rendered between the press and the click could move the target away, so that the tap is
 * lost, or another order gets it. `onEnd` is called when the tap is over.
 */
export function watchPress(onEnd: () => void): () => boolean {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const endAfter = (ms: number) => {
    end();
    timer = setTimeout(() => {
      end();
      onEnd();
    }, ms);
  };
  // Before the click is handled, which may change the focus in what it has rendered.
  const onClick = () => {
    if (timer === undefined) return;
    end();
    setTimeout(onEnd);
  };
  addEventListener('pointerdown', () => endAfter(longestMs), true);
  addEventListener('pointerup', () => endAfter(clickMs), true);
  addEventListener('pointercancel', () => endAfter(0), true);
  addEventListener('click', onClick, true);
  return () => timer !== undefined;
}

/** How long after a tap another one at the same place belongs to it, in ms, and how far away it may be, in pixels. */
const doubleTap = { ms: 400, distance: 40 };

/** Returns a filter of clicks: who taps twice means one order, and not also the one that has moved to its place. */
export function createTapFilter(): (click: MouseEvent) => boolean {
  let last: MouseEvent | undefined;
  return click => {
    const before = last;
    last = click;
    // Of a key.
    if (click.detail === 0 || !before) return true;
    const isSoon = click.timeStamp - before.timeStamp < doubleTap.ms;
    const isNear = Math.hypot(click.clientX - before.clientX, click.clientY - before.clientY) < doubleTap.distance;
    return click.detail === 1 && !(isSoon && isNear);
  };
}
