/** Preloaded into the service under test: prints the heap size after a garbage collection on SIGUSR2. */
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`);
});
