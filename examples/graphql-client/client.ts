/**
 * Reads a store's menu and all of its orders, page by page, with types that come from the graph itself:
 *   npm run generate && CARTE_URL=http://127.0.0.1:4000 CARTE_KEY=carte_… npm start -- lisbon-baixa 100
 */
import { connect, Refusal } from './graph.ts';
import { StoreMenuDocument, StoreOrdersDocument, type StoreOrdersQuery } from './operations.ts';

type Order = NonNullable<StoreOrdersQuery['store']>['orders']['nodes'][number];

const [store = 'lisbon-baixa', pageSize = '100'] = process.argv.slice(2);
const ask = connect(process.env.CARTE_URL ?? 'http://127.0.0.1:4000', process.env.CARTE_KEY ?? '');

async function showMenu(): Promise<void> {
  const { store: found } = await ask(StoreMenuDocument, { store, languages: ['en', 'pt'] });
  // What is outside the key's scope is null, like what does not exist.
  if (!found) throw new Refusal(`No store in this key's scope has the id "${store}".`, 'NOT_FOUND');
  for (const { externalId, name, categories } of found.menus) {
    const items = categories.flatMap(category => category.items);
    const soldOut = items.filter(({ inStock }) => !inStock).length;
    console.log(`${name?.text ?? externalId}: ${items.length} items, ${soldOut} sold out`);
  }
}

/** Newest first. A cursor marks a place: orders that come in meanwhile neither repeat one nor hide one. */
async function* pagesOfOrders(): AsyncGenerator<readonly Order[]> {
  let after: string | null = null;
  do {
    const answer: StoreOrdersQuery = await ask(StoreOrdersDocument, { store, pageSize: Number(pageSize), after });
    if (!answer.store) return;
    const { nodes, hasNextPage, endCursor } = answer.store.orders;
    yield nodes;
    after = hasNextPage ? (endCursor ?? null) : null;
  } while (after !== null);
}

async function showOrders(): Promise<void> {
  const sizes: number[] = [];
  let total = 0;
  for await (const orders of pagesOfOrders()) {
    sizes.push(orders.length);
    for (const { price } of orders) total += price;
  }
  console.log(`orders in pages of ${sizes.join(', ')}: ${total} in all`);
}

/** What a person at a screen would be told. */
function explain({ code, message, errors }: Refusal): string {
  switch (code) {
    case 'UNAUTHENTICATED':
      return `Ask for another key. ${message}`;
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
  if (!(error instanceof Refusal)) throw error;
  console.error(explain(error));
  process.exitCode = 1;
}
