/** Options of a cache with that many entries at most. Its option `max` would allocate all of them at once: 2 ms of a start for 10,000. */
export const upTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
