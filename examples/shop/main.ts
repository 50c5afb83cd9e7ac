import { createCart } from './cart.ts';
import { closedText, fetchStore, renderMenu } from './menu.ts';
import { createOrderView } from './order.ts';
import { find } from './page.ts';

/** How often the menu is read again, e.g. to show what is sold out. */
const refreshMs = 60_000;

const notice = find('notice', HTMLElement);
const shop = find('shop', HTMLElement);
const order = createOrderView(() => {
  shop.hidden = false;
});
const cart = createCart(token => {
  shop.hidden = true;
  order.open(token);
});
let shown = '';

async function refresh(): Promise<void> {
  try {
    const store = await fetchStore();
    find('store', HTMLElement).textContent = store.name.text;
    notice.textContent = closedText(store);
    // A menu that has not changed is left alone, since a guest may be about to tap an item.
    if (JSON.stringify(store) !== shown) renderMenu(store, cart.add);
    shown = JSON.stringify(store);
    cart.update(store);
  } catch (error) {
    notice.textContent = `The menu cannot be loaded. ${error instanceof Error ? error.message : error}`;
  }
}

shop.hidden = order.resume();
await refresh();
setInterval(() => document.hidden || refresh(), refreshMs);
addEventListener('online', refresh);
