import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { smallMenu } from '../support/data.ts';

/** Less than one comparison of a menu with five entities costs: 103 for its selection, and 5 × (13 + 6 + 20) for what it reads. */
const app = await startApp({ graphqlLimits: { depth: 15, cost: 290, aliases: 100, objects: 250_000 } });

/** A store whose menu of five entities has had so many revisions, oldest first. */
async function storeWith(count: number) {
  const store = await app.data.store();
  for (let at = 0; at < count; at++) await app.data.menu(store, smallMenu(`Lunch ${at}`));
  const { body } = await app.graphql(`{ store(id: "${store.id}") { menuHistory { nodes { revision } } } }`);
  const revisions: number[] = body.data.store.menuHistory.nodes.map(({ revision }: { revision: number }) => revision);
  return { id: store.id, revisions: revisions.toReversed() };
}

const at = (revision: number | undefined) => `at${revision}: menuConfigurationAt(revision: ${revision}) { revision }`;
const since = (revision: number | undefined, alias: string) =>
  `${alias}: menuChanges(from: ${revision}) { summary counts { changed } }`;

describe('A request for the past of a menu', () => {
  test.each([
    ['one configuration', ([first]: number[]) => at(first)],
    ['one comparison', ([first]: number[]) => since(first, 'changes')],
  ])('may select %s, however large the menu is', async (_what, select) => {
    const { id, revisions } = await storeWith(3);
    const { body } = await app.graphql(`{ store(id: "${id}") { ${select(revisions)} } }`);
    expect(body.errors).toBeUndefined();
  });

  test.each([
    [
      'configurations',
      ([first, second]: number[]) => `${at(first)} ${at(second)}`,
      'The operation costs 328 with 2 past configurations of a menu with 5 entities',
    ],
    [
      'comparisons',
      ([first, second]: number[]) => `${since(first, 'a')} ${since(second, 'b')}`,
      'The operation costs 534 with 2 past configurations and 2 comparisons of a menu with 5 entities',
    ],
    [
      'configurations of a list',
      () => 'menuHistory(first: 2) { nodes { configuration { revision } } }',
      'The operation costs 331 with 2 past configurations of a menu with 5 entities',
    ],
  ])('is refused before it reads more %s than it may', async (_what, select, message) => {
    const { id, revisions } = await storeWith(3);
    const { result, statements } = await app.statements.during(() =>
      app.graphql(`{ store(id: "${id}") { ${select(revisions)} } }`),
    );
    const [error] = result.body.errors;
    expect(error.extensions.code).toBe('QUERY_TOO_COMPLEX');
    expect(error.message).toBe(`${message}; at most 290 are allowed. Select less in one request.`);
    expect(statements.filter(text => text.includes('old_rows'))).toEqual([]);
  });
});
