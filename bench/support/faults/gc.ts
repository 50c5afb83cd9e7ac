/** Loaded into the service under test: on SIGUSR2 it says how large the heap is after a collection. */
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`);
});
