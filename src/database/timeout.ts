/** Rejects if there is no result in time. */
export async function withTimeout<T>(timeoutMs: number, result: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  // One turn of the event loop later, so that a result which arrived while the loop was blocked wins.
  const fail = () => setImmediate(() => reject(new Error(`No response within ${timeoutMs} ms`)));
  const timer = setTimeout(fail, timeoutMs);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
}
