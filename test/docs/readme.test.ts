import { readFileSync } from 'node:fs';
import { type DocumentNode, Kind, parse, print, visit } from 'graphql';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The query `getStore` and the path of its route, without what documents it. */
function getStoreOf(document: DocumentNode): string {
  const operation = document.definitions.find(
    definition => definition.kind === Kind.OPERATION_DEFINITION && definition.name?.value === 'getStore',
  );
  if (!operation) throw new Error('There is no query getStore');
  return print(
    visit(operation, {
      [Kind.DIRECTIVE]: ({ name, arguments: given = [] }) =>
        name.value === 'route'
          ? { kind: Kind.DIRECTIVE, name, arguments: given.filter(argument => argument.name.value === 'path') }
          : null,
    }),
  );
}

test('README.md shows an operation of schema/rest', () => {
  const [, shown = ''] = /^```graphql\n(.*?)^```/ms.exec(read('README.md')) ?? [];
  expect(getStoreOf(parse(shown))).toBe(getStoreOf(parse(read('schema/rest/stores.graphql'))));
});
