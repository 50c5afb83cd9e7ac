/**
 * SQL with which a migration of several tables begins. It takes all locks before any work, always in the order of names, and
 * upgrades none later: so no request waits for longer than a lock, and migrations do not wait for each other in a circle.
 */
export function lockTables(mode: 'share row exclusive' | 'access exclusive', ...tables: readonly string[]): string {
  return `lock table ${tables.toSorted().join(', ')} in ${mode} mode`;
}
