/** An amount; currency and decimal are null if the currency of the store is unknown. */
export interface Money {
  readonly amount: number;
  readonly currency: string | null;
  readonly decimal: string | null;
}

export const moneyFields = '{ amount currency decimal }';

export function price({ amount, currency, decimal }: Money): string {
  if (currency === null) return String(amount);
  const format = { style: 'currency', currency, maximumFractionDigits: 4 } as const;
  return new Intl.NumberFormat(navigator.language, format).format(Number(decimal));
}

/** The time of day, with the day if it is not today. */
export function time(text: string): string {
  const at = new Date(text);
  const day = at.toDateString() === new Date().toDateString() ? {} : ({ weekday: 'long' } as const);
  return at.toLocaleTimeString(navigator.language, { ...day, hour: 'numeric', minute: '2-digit' });
}

type Child = Node | string;

/** Creates an element. Texts become text nodes, so that none of a merchant is parsed as markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<Omit<HTMLElementTagNameMap[Tag], 'style'>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = Object.assign(document.createElement(tag), properties);
  created.append(...children);
  return created;
}

/** Finds the element with this id; throws if the page has none of this type. */
export function find<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`The page has no ${type.name} with the id ${id}`);
}

interface LineDetails {
  readonly modifiers: readonly { readonly name: string; readonly quantity: number }[];
  readonly note?: string | null | undefined;
  readonly amount?: string;
}

/** Renders a line of an order, in the cart or placed. */
export function renderLine(
  name: string,
  { modifiers, note, amount = '' }: LineDetails,
  ...more: readonly Child[]
): HTMLElement {
  const chosen = modifiers.map(modifier => `${modifier.quantity > 1 ? `${modifier.quantity} × ` : ''}${modifier.name}`);
  const details = [...chosen, ...(note ? [`“${note}”`] : [])].join(', ');
  const shownAmount = element('span', { className: 'price' }, amount);
  return element(
    'li',
    {},
    element('strong', {}, name),
    shownAmount,
    element('p', { className: 'small' }, details),
    ...more,
  );
}

/** Renders a name and its value, for a `dl`. */
export function renderRow(name: string, value: string): HTMLElement {
  return element('div', {}, element('dt', {}, name), element('dd', {}, value));
}

/** A value in the storage of this browser, which outlives a reload. */
export function stored<Value>(name: string) {
  const key = `shop.${name}`;
  return {
    read: (): Value | undefined => JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined,
    write: (value: Value) => localStorage.setItem(key, JSON.stringify(value)),
    remove: () => localStorage.removeItem(key),
  };
}
