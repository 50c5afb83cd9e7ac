import { html, nothing, type TemplateResult } from 'lit-html';
import type { OrderFilter } from '../../../src/generated/web.ts';
import { InvalidInput } from '../../errors.ts';
import type { App } from '../app.ts';
import { type OrderView, renderCard } from './card.ts';
import { findOrders, type Order } from './operations.ts';

const pauseMs = 250;

interface OrderSearchOptions {
  readonly app: App;
  readonly storeId: string;
  /** Returns an order of the board, which may be newer than the one that was found. */
  readonly known: (id: string) => Order | undefined;
}

interface FoundOrders {
  readonly totalCount: number;
  readonly nodes: readonly Order[];
  /** Whether only the last digits of phone numbers were compared, since the store has too many orders. */
  readonly isByLastDigits: boolean;
}

/** Finds orders of any age by the name or the phone number of the guest, e.g. when one calls. */
export function createOrderSearch({ app, storeId, known }: OrderSearchOptions) {
  let text = '';
  let found: FoundOrders | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function type({ target }: InputEvent): void {
    text = (target as HTMLInputElement).value.trim();
    found = undefined;
    clearTimeout(timer);
    timer = setTimeout(load, pauseMs);
    app.update();
  }

  async function load(): Promise<void> {
    const searched = text;
    if (searched === '') return;
    try {
      const orders = await (isPhone() ? findByPhone(searched) : find({ customerName: searched }));
      if (searched === text) found = orders;
      app.update();
    } catch (error) {
      app.fail(error);
    }
  }

  async function find(filter: OrderFilter): Promise<FoundOrders> {
    const { totalCount, nodes } = (await findOrders({ store: storeId, filter })).store?.orders ?? {
      totalCount: 0,
      nodes: [],
    };
    return { totalCount, nodes: nodes.map(order => known(order.id) ?? order), isByLastDigits: false };
  }

  async function findByPhone(digits: string): Promise<FoundOrders> {
    try {
      return await find({ customerPhoneContains: digits });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return { ...(await find({ customerPhoneEndsWith: digits })), isByLastDigits: true };
    }
  }

  function describe({ totalCount, nodes, isByLastDigits }: FoundOrders): string {
    const rest = totalCount > nodes.length ? ', the newest are shown' : '';
    return `${totalCount} found${isByLastDigits ? ' by the last digits' : ''}${rest}`;
  }

  const isPhone = () => /^[+\d\s()/.-]+$/.test(text);
  const digitsOf = (phone: string) => phone.replace(/\D/g, '');
  const isMatch = ({ customer: { name, phone } }: Order) =>
    isPhone() ? digitsOf(phone).includes(digitsOf(text)) : name.toLowerCase().includes(text.toLowerCase());

  return {
    isActive: () => text !== '',
    load,
    /** Shows the new state of an order that was found, or looks for one that is new. */
    report(order: Order): void {
      if (found?.nodes.some(({ id }) => id === order.id))
        found = { ...found, nodes: found.nodes.map(node => (node.id === order.id ? order : node)) };
      else if (text !== '' && isMatch(order)) load();
    },
    renderField: (): TemplateResult => html`
      <search>
        <label for="order-search" class="visually-hidden">Search all orders by name or phone number</label>
        <input id="order-search" type="search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"
          placeholder="Guest or phone" @input=${type}>
      </search>`,
    renderResults: (view: OrderView, openId: string | undefined): TemplateResult => html`
      <section class="results" aria-label="Orders found">
        <p class="small" role="status">${found ? describe(found) : 'Searching…'}</p>
        ${found ? html`<ul>${found.nodes.map(order => renderCard(order, view, order.id === openId))}</ul>` : nothing}
      </section>`,
    close: () => clearTimeout(timer),
  };
}
