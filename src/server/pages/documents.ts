import { globSync, readFileSync } from 'node:fs';
import { definitionsIn, selectOperation } from '../../../web/definitions.ts';

const folder = new URL('../../../web/', import.meta.url);

/** The documents that `/menu` and `/console` send: a whole file, or an operation of one. */
export function documentsOfPages(): string[] {
  return globSync('{menu,console}/**/*.graphql', { cwd: folder }).flatMap(path => {
    const text = readFileSync(new URL(path, folder), 'utf8');
    const definitions = definitionsIn(text);
    const operations = [...definitions].filter(([, definition]) => !definition.startsWith('fragment '));
    return [text, ...operations.map(([name]) => selectOperation(definitions, name))];
  });
}
