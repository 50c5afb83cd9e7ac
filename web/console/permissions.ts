import type { Permission } from '../../src/generated/web.ts';

/** The permissions of a key in words: what it reads, and what it changes, which may be empty. */
export function splitPermissions(permissions: readonly Permission[]): {
  readonly reads: string;
  readonly changes: string;
} {
  const list = (names: readonly string[]) => names.join(', ').replaceAll('_', ' ').toLowerCase();
  const isRead = (name: string) => name.startsWith('READ_');
  const reads = permissions.filter(isRead).map(name => name.slice('READ_'.length));
  return { reads: list(reads) || 'everything', changes: list(permissions.filter(name => !isRead(name))) };
}
