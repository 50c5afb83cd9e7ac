/**
 * Reads a store's menu and all of its orders, page by page, with types that are generated from the schema:
 *   npm run generate && CARTE_URL=http://127.0.0.1:4000 CARTE_KEY=carte_… npm start -- lisbon-baixa 100
 */
import { connect, GraphqlRequestError } from './graph.ts';
import { StoreMenuDocument, StoreOrdersDocument, type StoreOrdersQuery } from './operations.ts';

type Order = NonNullable<StoreOrdersQuery['store']>['orders']['edges'][number]['node'];

const [store = 'lisbon-baixa', first = '100'] = process.argv.slice(2);
const execute = connect(process.env.CARTE_URL ?? 'http://127.0.0.1:4000', process.env.CARTE_KEY ?? '');

async function showMenu(): Promise<void> {
  const { store: found } = await execute(StoreMenuDocument, { store, languages: ['en', 'pt'] });
  // A store outside the key's scope is null, like one that does not exist.
  if (!found) throw new GraphqlRequestError(`No store in this key's scope has the id "${store}".`, 'NOT_FOUND');
  for (const { externalId, name, categories } of found.menus) {
    const items = categories.flatMap(category => category.items);
    const soldOut = items.filter(({ inStock }) => !inStock).length;
    console.log(`${name?.text ?? externalId}: ${items.length} items, ${soldOut} sold out`);
  }
}

/** Yields the orders page by page, newest first. Cursors are stable: new orders neither duplicate nor skip any. */
async function* pagesOfOrders(): AsyncGenerator<readonly Order[]> {
  let after: string | null = null;
  do {
    const result: StoreOrdersQuery = await execute(StoreOrdersDocument, { store, first: Number(first), after });
    if (!result.store) return;
    const { edges, pageInfo } = result.store.orders;
    yield edges.map(({ node }) => node);
    after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
  } while (after !== null);
}

async function showOrders(): Promise<void> {
  const sizes: number[] = [];
  let total = 0;
  for await (const orders of pagesOfOrders()) {
    sizes.push(orders.length);
    for (const { price } of orders) total += price.amount;
  }
  console.log(`orders in pages of ${sizes.join(', ')}: ${total} in all`);
}

/** Formats an error for the user. */
function format({ code, message, errors }: GraphqlRequestError): string {
  switch (code) {
    case 'UNAUTHENTICATED':
      return `Check the API key. ${message}`;
    case 'BAD_USER_INPUT':
      return errors.map(error => `${error.path.join('.')}: ${error.message}`).join('\n') || message;
    default:
      return `${code}: ${message}`;
  }
}

try {
  await showMenu();
  await showOrders();
} catch (error) {
  if (!(error instanceof GraphqlRequestError)) throw error;
  console.error(format(error));
  process.exitCode = 1;
}
