import { html, nothing, type TemplateResult } from 'lit-html';
import type { OrderStatus } from '../../../src/generated/web.ts';
import { onSubmit, textOf } from '../form.ts';
import { type OrderView, renderNext } from './card.ts';
import type { Order } from './operations.ts';
import { nextStatus, statuses } from './statuses.ts';
import { addressOf, renderLines, renderNote, serviceOf } from './ticket.ts';

export interface DetailOptions {
  readonly order: Order;
  readonly view: OrderView;
  /** The final status that waits for a confirmation. */
  readonly confirming: OrderStatus | undefined;
  readonly confirm: (status: OrderStatus | undefined) => void;
  readonly close: () => void;
}

/** Renders everything about an order, and every change that it allows. */
export function renderDetail({ order, view, confirming, confirm, close }: DetailOptions): TemplateResult {
  const { format, times, now } = view;
  const { id, customer, status, createdAt, readyBy, completedAt, customerComments, inPos } = order;
  const { statusReason, confirmedReadyBy, totalMoney, taxMoney } = order;
  const row = (name: string, text: string) =>
    text ? html`<div><dt>${name}</dt><dd dir="auto">${text}</dd></div>` : nothing;
  return html`
    <aside class="detail" aria-labelledby="detail-title">
      <header>
        <h2 id="detail-title" tabindex="-1" dir="auto">${customer.name || 'Guest'}</h2>
        <button type="button" class="close" aria-label="Close the details" @click=${close}>×</button>
      </header>
      <p class="status ${statuses[status].column}">${statuses[status].label}</p>
      ${renderLines(order)}
      ${renderNote(customerComments)}
      ${renderNote(order.address?.note)}
      <dl>
        ${row('Reason', statusReason ?? '')}
        ${row('From', order.placedByGuest ? 'a web page; nobody has checked who it is' : '')}
        ${row('Service', serviceOf(order))}
        ${row('Address', addressOf(order))}
        <div><dt>Total</dt><dd>${format.price(totalMoney)} <span class="small">with ${format.price(taxMoney)} tax</span></dd></div>
        <div><dt>Ready by</dt><dd>${times.at(readyBy, now)} · ${times.fromNow(readyBy, now)}</dd></div>
        ${row('Confirmed', confirmedReadyBy ? times.at(confirmedReadyBy, now) : '')}
        <div><dt>Placed</dt><dd>${times.at(createdAt, now)} · ${times.fromNow(createdAt, now)}</dd></div>
        ${completedAt ? html`<div><dt>Completed</dt><dd>${times.at(completedAt, now)}</dd></div>` : nothing}
        ${customer.phone ? html`<div><dt>Phone</dt><dd><a href="tel:${customer.phone.replace(/[^+\d]/g, '')}" dir="ltr">${customer.phone}</a></dd></div>` : nothing}
        <div><dt>Till</dt><dd>${inPos ? 'transferred' : 'not transferred'}</dd></div>
        <div><dt>Id</dt><dd><code>${id}</code></dd></div>
      </dl>
      <div class="actions">
        ${renderNext(order, view)}
        ${view.change && !view.changeOf(id) ? renderOthers(order, view.change) : nothing}
      </div>
    </aside>`;

  function renderOthers(shown: Order, change: NonNullable<OrderView['change']>): TemplateResult {
    if (confirming && shown.nextStatuses.includes(confirming)) {
      return html`
        <p role="alert">${statuses[confirming].action}? This cannot be undone.</p>
        <form @submit=${onSubmit(
          form => textOf(form, 'reason'),
          reason => change(shown, confirming, reason || undefined),
        )}>
          <label>Reason, if you like <input name="reason" maxlength="1000" autocomplete="off" dir="auto"></label>
          <button class="danger" id="confirm">Yes, ${statuses[confirming].action.toLowerCase()}</button>
          <button type="button" @click=${() => confirm(undefined)}>No</button>
        </form>`;
    }
    const others = shown.nextStatuses.filter(to => to !== nextStatus(shown.nextStatuses));
    return html`${others.map(to => html`<button type="button" @click=${() => confirm(to)}>${statuses[to].action}</button>`)}`;
  }
}
