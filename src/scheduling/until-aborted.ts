/** Resolves as the promise does, but rejects with the reason of the signal as soon as that is aborted. */
export async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
