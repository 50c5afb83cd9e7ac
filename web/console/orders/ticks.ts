/** Lines of orders that the kitchen has ticked off, kept in the tab over a reload. */
export function createTicks(storageKey: string, update: () => void) {
  const stored: readonly (readonly [string, readonly number[]])[] = JSON.parse(
    sessionStorage.getItem(storageKey) ?? '[]',
  );
  let ticks: ReadonlyMap<string, readonly number[]> = new Map(stored);
  return {
    /** The indexes of the ticked lines of an order; another list whenever they change. */
    of: (orderId: string): readonly number[] | undefined => ticks.get(orderId),
    /** Ticks a line or takes that back, and drops what belongs to orders that are not prepared any more. */
    toggle(orderId: string, index: number, isPrepared: (orderId: string) => boolean): void {
      const before = ticks.get(orderId) ?? [];
      const after = before.includes(index) ? before.filter(other => other !== index) : [...before, index];
      ticks = new Map([...ticks, [orderId, after] as const].filter(([id]) => isPrepared(id)));
      sessionStorage.setItem(storageKey, JSON.stringify([...ticks]));
      update();
    },
  };
}

export type Ticks = ReturnType<typeof createTicks>;
