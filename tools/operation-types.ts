import { type DocumentNode, Kind } from 'graphql';

/** A plugin of codegen: adds an interface with the types of all operations by their names, so that a caller need only name one. */
export function plugin(_schema: unknown, files: readonly { readonly document?: DocumentNode }[]): string {
  const operations = files
    .flatMap(({ document }) => document?.definitions ?? [])
    .filter(definition => definition.kind === Kind.OPERATION_DEFINITION);
  const members = operations.map(({ name, operation }) => {
    const type = `${name?.value}${operation.charAt(0).toUpperCase()}${operation.slice(1)}`;
    return `  readonly ${name?.value}: { readonly data: ${type}; readonly variables: ${type}Variables };`;
  });
  return ['export interface Operations {', ...members, '}'].join('\n');
}
