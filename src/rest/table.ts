import type { Contract } from './contract/contract.ts';

export interface RouteRow {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
}

/** Every route, by path and method. */
export function routeTable({ operations }: Contract): RouteRow[] {
  return operations
    .map(({ name, route: { method, path } }) => ({ method, path, operation: name }))
    .sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));
}
