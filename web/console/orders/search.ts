import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from '../app.ts';
import { type OrderView, renderCard } from './card.ts';
import { findOrders, type Order } from './operations.ts';

const pauseMs = 250;

/** Finds orders of any age by the name or the phone number of the guest, e.g. when one calls. */
export function createOrderSearch({ app, storeId }: { readonly app: App; readonly storeId: string }) {
  let text = '';
  let found: { readonly count: number; readonly nodes: readonly Order[] } | undefined;
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
    const isPhone = /^[+\d\s()/.-]+$/.test(searched);
    try {
      const filter = isPhone ? { phoneNumber: searched } : { customerName: searched };
      const { store } = await findOrders({ store: storeId, filter });
      if (searched === text) found = store?.orders;
      app.update();
    } catch (error) {
      app.fail(error);
    }
  }

  return {
    isActive: () => text !== '',
    renderField: (): TemplateResult => html`
      <search>
        <label for="order-search" class="visually-hidden">Search all orders by name or phone number</label>
        <input id="order-search" type="search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"
          placeholder="Guest or phone" @input=${type}>
      </search>`,
    renderResults: (view: OrderView, openId: string | undefined): TemplateResult => html`
      <section class="results" aria-label="Orders found">
        <p class="small" role="status">${found ? `${found.count} found${found.count > found.nodes.length ? ', the newest are shown' : ''}` : 'Searching…'}</p>
        ${found ? html`<ul>${found.nodes.map(order => renderCard(order, view, order.id === openId))}</ul>` : nothing}
      </section>`,
    close: () => clearTimeout(timer),
  };
}
