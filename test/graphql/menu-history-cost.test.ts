import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { menuOfSize } from '../support/large-menu.ts';

/** Less than one comparison of a menu with 400 entities costs: some 10,000 for its selection, and 400 × (13 + 6 + 20) for what it reads. */
const graphqlLimits = { depth: 15, cost: 25_000, streamCost: 2_000, aliases: 100, objects: 250_000 };
const app = await startApp({ graphqlLimits });

const menu = menuOfSize({
  ...{ categories: 9, items: 190, groups: 100, modifierItems: 100 },
  ...{ groupsPerItem: 1, modifierItemsPerGroup: 1 },
});

/** A store whose menu of 400 entities has had so many revisions, oldest first. */
async function storeWith(count: number) {
  const store = await app.data.store();
  for (let at = 0; at < count; at++) {
    const [first, ...others] = menu.items;
    await app.data.menu(store, { ...menu, items: first ? [{ ...first, price: at }, ...others] : [] });
  }
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
      'The operation costs 30,003 with 2 past configurations of a menu with 400 entities',
    ],
    [
      'comparisons',
      ([first, second]: number[]) => `${since(first, 'a')} ${since(second, 'b')}`,
      'The operation costs 46,009 with 2 past configurations and 2 comparisons of a menu with 400 entities',
    ],
    [
      'configurations of a list',
      () => 'menuHistory(first: 2) { nodes { configuration { revision } } }',
      'The operation costs 30,006 with 2 past configurations of a menu with 400 entities',
    ],
  ])('is refused before it reads more %s than it may', async (_what, select, message) => {
    const { id, revisions } = await storeWith(3);
    const { result, statements } = await app.statements.during(() =>
      app.graphql(`{ store(id: "${id}") { ${select(revisions)} } }`),
    );
    const [error] = result.body.errors;
    expect(error.extensions.code).toBe('QUERY_TOO_COMPLEX');
    expect(error.message).toBe(`${message}; at most 25,000 are allowed. Select less in one request.`);
    expect(statements.filter(text => text.includes('old_rows'))).toEqual([]);
  });
});
