import { read, storeId } from './graph.ts';
import { element, find, type Money, moneyFields, price, time } from './page.ts';

interface Text {
  readonly text: string;
}

interface ModifierGroup {
  readonly externalId: string;
  readonly name: Text;
  readonly groupMin: number;
  readonly groupMax: number;
  readonly chargeAfter: number;
  readonly modifierItems: readonly {
    readonly externalId: string;
    readonly name: Text;
    readonly priceChange: Money;
    readonly inStock: boolean;
    readonly minQuantity: number;
    readonly maxQuantity: number;
    readonly defaultQuantity: number;
  }[];
}

export interface Item {
  readonly externalId: string;
  readonly name: Text;
  readonly description: Text | null;
  readonly price: Money;
  readonly inStock: boolean;
  readonly sellSeparately: boolean;
  readonly allergensText: string | null;
  readonly modifierGroups: readonly ModifierGroup[];
}

export interface Store {
  readonly name: Text;
  readonly ordering: {
    readonly state: string;
    readonly until: string | null;
    readonly reason: string | null;
    readonly acceptsGuestOrders: boolean;
  };
  readonly menus: readonly {
    readonly categories: readonly {
      readonly externalId: string;
      readonly name: Text;
      readonly items: readonly Item[];
    }[];
  }[];
  readonly allMenus: readonly { readonly nextAvailableAt: string | null }[];
}

/** A line of the cart, as `quoteOrder` and `placeOrder` take it. */
export interface Line {
  readonly itemExternalId: string;
  readonly quantity: number;
  readonly note?: string;
  readonly modifiers: readonly {
    readonly modifierGroupExternalId: string;
    readonly modifierItemExternalId: string;
    readonly quantity: number;
  }[];
}

type Add = (line: Line) => void;

const text = '{ text(languages: $languages) }';
const query = `query Menu($store: ID!, $languages: [String!]!, $now: DateTime!) {
  store(id: $store) {
    name ${text}
    ordering { state until reason acceptsGuestOrders }
    menus(availableAt: $now) { categories { externalId name ${text} items { ...Item } } }
    allMenus: menus { nextAvailableAt(from: $now) }
  }
}
fragment Item on MenuItem {
  externalId name ${text} description ${text} price ${moneyFields} inStock sellSeparately allergensText
  modifierGroups {
    externalId name ${text} groupMin groupMax chargeAfter
    modifierItems {
      externalId name ${text} priceChange ${moneyFields} inStock minQuantity maxQuantity defaultQuantity
    }
  }
}`;

/** Reads what can be ordered now. */
export async function fetchStore(): Promise<Store> {
  // Requests of the same minute are equal, so that caches can respond, that of the service or one in front of it.
  const now = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  const variables = { store: storeId, languages: navigator.languages, now };
  const { store } = await read<{ readonly store: Store | null }>(query, variables);
  if (!store) throw new Error(`There is no store ${storeId}, or the key is not for it.`);
  return store;
}

/** Why nothing can be ordered now; empty if it can. */
export function closedText({ ordering: { state, until, reason, acceptsGuestOrders }, menus, allMenus }: Store): string {
  if (state === 'PAUSED')
    return `We take no orders ${until ? `until ${time(until)}` : 'at the moment'}${reason ? `: ${reason}` : '.'}`;
  if (!acceptsGuestOrders) return 'We take no orders here at the moment. Please call us, or come to us.';
  if (menus.length > 0) return '';
  const [next] = allMenus.flatMap(({ nextAvailableAt }) => nextAvailableAt ?? []).sort();
  return next ? `We are closed, and open again at ${time(next)}.` : 'We are closed.';
}

/** The categories of the menus that are available now, of which several may have the same one. */
const categoriesOf = ({ menus }: Store) =>
  new Map(menus.flatMap(({ categories }) => categories).map(category => [category.externalId, category])).values();

export function itemsOf(store: Store): ReadonlyMap<string, Item> {
  return new Map([...categoriesOf(store)].flatMap(({ items }) => items).map(item => [item.externalId, item]));
}

export function renderMenu(store: Store, add: Add): void {
  const sections = [...categoriesOf(store)].map(({ name, items }) => {
    const shown = items.filter(item => item.sellSeparately).map(item => renderItem(item, add));
    return element('section', {}, element('h2', {}, name.text), element('ul', {}, ...shown));
  });
  find('menu', HTMLElement).replaceChildren(...sections);
}

function renderItem(item: Item, add: Add): HTMLElement {
  const { name, description, inStock, allergensText } = item;
  const label = inStock ? 'Add' : 'Sold out';
  const onclick = () => openItem(item, add);
  return element(
    'li',
    { className: inStock ? 'item' : 'item sold-out' },
    element('h3', {}, name.text),
    element('button', { type: 'button', disabled: !inStock, ariaLabel: `${label}: ${name.text}`, onclick }, label),
    element('p', { className: 'price' }, price(item.price)),
    element('p', { className: 'small' }, description?.text ?? ''),
    element('p', { className: 'small' }, allergensText ? `Allergens: ${allergensText}` : ''),
  );
}

/** Opens a dialog to choose the modifiers of an item. */
function openItem({ externalId, name, modifierGroups }: Item, add: Add): void {
  const groups = modifierGroups.map(renderGroup);
  const note = element('input', { maxLength: 1000, autocomplete: 'off' });
  const dialog = element('dialog', { onclose: () => dialog.remove() });
  const form = element(
    'form',
    { method: 'dialog' },
    element('h2', { id: 'item-name' }, name.text),
    ...groups.map(({ fieldset }) => fieldset),
    element('label', {}, 'Note for the kitchen ', note),
    element('button', { className: 'main' }, 'Add to the order'),
    ' ',
    element('button', { type: 'button', onclick: () => dialog.close() }, 'Back'),
  );
  form.onsubmit = () => {
    const modifiers = groups.flatMap(({ choices }) => choices());
    add({ itemExternalId: externalId, quantity: 1, modifiers, ...(note.value.trim() && { note: note.value.trim() }) });
  };
  dialog.setAttribute('aria-labelledby', 'item-name');
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
}

/** The modifiers of a group: exactly one of them, each at most once, or each in a quantity. */
function renderGroup({ externalId, name, groupMin, groupMax, chargeAfter, modifierItems }: ModifierGroup) {
  const rows = modifierItems.map(modifier => {
    const { minQuantity, maxQuantity, defaultQuantity, inStock, priceChange } = modifier;
    const isSingle = groupMax === 1 || maxQuantity === 1;
    const input = element('input', { name: externalId, disabled: !inStock });
    input.type = isSingle ? (groupMin === 1 && groupMax === 1 ? 'radio' : 'checkbox') : 'number';
    if (isSingle) input.checked = inStock && defaultQuantity > 0;
    else Object.assign(input, { min: minQuantity, max: maxQuantity, value: inStock ? defaultQuantity : 0 });
    const sign = priceChange.amount > 0 ? '+' : '';
    const change = priceChange.amount === 0 ? '' : sign + price(priceChange);
    const shown = element('span', { className: 'price' }, inStock ? change : 'sold out');
    return {
      input,
      label: element('label', { className: 'choice' }, input, modifier.name.text, shown),
      chosen: () => ({
        modifierGroupExternalId: externalId,
        modifierItemExternalId: modifier.externalId,
        quantity: isSingle ? Number(input.checked) : Number(input.value),
      }),
    };
  });
  const choices = () => rows.map(({ chosen }) => chosen()).filter(({ quantity }) => quantity > 0);
  const range = groupMin === groupMax ? groupMax : groupMin === 0 ? `up to ${groupMax}` : `${groupMin} to ${groupMax}`;
  const check = () => {
    const count = choices().reduce((sum, { quantity }) => sum + quantity, 0);
    const message = count < groupMin || count > groupMax ? `Please choose ${range}.` : '';
    rows.find(({ input }) => !input.disabled)?.input.setCustomValidity(message);
  };
  check();
  const rule = `choose ${range}${chargeAfter > 0 ? `, ${chargeAfter} free` : ''}`;
  const legend = element('legend', {}, `${name.text} `, element('span', { className: 'small' }, rule));
  return { choices, fieldset: element('fieldset', { oninput: check }, legend, ...rows.map(({ label }) => label)) };
}
