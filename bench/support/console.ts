import type { OpenConsole } from '../../support/console.ts';

/** Loads a page until a part of it is shown: the time from the navigation on, requests and transferred bytes. */
export async function measureLoad({ page, devtools }: OpenConsole, url: string, selector: string) {
  let requests = 0;
  let bytes = 0;
  await devtools.send('Network.enable');
  const onFinished = ({ encodedDataLength }: { readonly encodedDataLength: number }) => {
    requests++;
    bytes += encodedDataLength;
  };
  devtools.on('Network.loadingFinished', onFinished);
  await page.goto(url, { waitUntil: 'commit' });
  const usableMs = await page.evaluate<number>(`new Promise(resolve => {
    const look = () => document.querySelector(${JSON.stringify(selector)}) ? resolve(performance.now()) : requestAnimationFrame(look);
    look();
  })`);
  devtools.off('Network.loadingFinished', onFinished);
  return { usableMs, requests, bytes };
}

/** Starts to record the time between frames; the returned function ends it. */
export async function recordFrames({ page }: OpenConsole): Promise<() => Promise<number[]>> {
  await page.evaluate(`{
    window.frames_ = [];
    let last = performance.now();
    const next = now => {
      if (!window.frames_) return;
      window.frames_.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }`);
  return () => page.evaluate('(() => { const frames = window.frames_; window.frames_ = undefined; return frames; })()');
}

export function percentiles(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
}
