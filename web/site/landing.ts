import { openOperations } from '../client.ts';
import { element, find } from '../element.ts';
import { messageOf, RequestError } from '../errors.ts';

const { operation } = openOperations(new URL('landing.graphql', import.meta.url));
const fetchStores = operation('StoresToOrderAt');
const placeOrder = operation('PlaceTestOrder');

const hour = 3_600_000;

/** Finds a store that sells something which needs no choice, within a day. */
async function findItem() {
  for (const hours of [1, 4, 8, 12, 16, 20]) {
    const at = new Date(Date.now() + hours * hour).toISOString();
    const { stores } = await fetchStores({ at });
    for (const store of stores.nodes) {
      const items = store.menus.flatMap(({ categories }) => categories.flatMap(category => category.items));
      const item = items.find(
        ({ inStock, sellSeparately, modifierGroups }) =>
          inStock && sellSeparately !== false && modifierGroups.every(({ groupMin }) => !groupMin),
      );
      if (item) return { at, store, item };
    }
  }
  throw new RequestError(
    'No store of this key sells anything in the next hours: post a menu first, or try another key.',
  );
}

/** Places an order as a guest would, and leads to it on the board of its store. */
export async function placeTestOrder(): Promise<void> {
  const button = find('#place', HTMLButtonElement);
  const status = find('#placed', HTMLElement);
  button.disabled = true;
  status.className = '';
  status.textContent = 'Placing…';
  try {
    const { at, store, item } = await findItem();
    const { placeOrder: placed } = await placeOrder({
      input: {
        storeId: store.id,
        idempotencyKey: `test ${Date.now()} ${Math.random()}`,
        customer: { name: 'Test order', phone: '' },
        lines: [{ itemExternalId: item.externalId, quantity: 1 }],
        readyBy: at,
      },
    });
    const query = new URLSearchParams({ store: store.id, order: placed?.order.id ?? '' });
    const link = element('a', { class: 'button main', href: `console?${query}` }, 'Accept it in the console');
    status.replaceChildren(`Placed: ${item.name.text ?? item.externalId}, for ${store.name.text ?? store.id}. `, link);
    link.focus();
  } catch (error) {
    status.className = 'bad';
    status.textContent = messageOf(error);
  }
  button.disabled = false;
}
