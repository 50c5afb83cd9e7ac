import { globSync, readFileSync } from 'node:fs';
import { parse, print, separateOperations } from 'graphql';

const folder = new URL('../../../web/', import.meta.url);

/** Splits a file into its operations by name, each with the fragments that it uses. */
export function splitOperations(text: string): Readonly<Record<string, string>> {
  const documents = Object.entries(separateOperations(parse(text)));
  return Object.fromEntries(documents.map(([name, document]) => [name, print(document)]));
}

/** The documents that `/menu` and `/console` send. */
export function documentsOfPages(): string[] {
  return globSync('{menu,console}/**/*.graphql', { cwd: folder }).flatMap(path =>
    Object.values(splitOperations(readFileSync(new URL(path, folder), 'utf8'))),
  );
}
