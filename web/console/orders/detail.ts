import { html, nothing, type TemplateResult } from 'lit-html';
import { icon } from '../icon.ts';
import { dueOf } from './board.ts';
import { type OrderView, renderNext } from './card.ts';
import type { Order } from './operations.ts';
import { amountsOf, paymentOf } from './payment.ts';
import { nextStatus, statuses } from './statuses.ts';
import { type LineParts, renderAddress, renderLines, renderNote, renderService } from './ticket.ts';

export interface DetailOptions {
  readonly order: Order;
  readonly view: OrderView;
  /** What can be done with a line. */
  readonly action: LineParts['action'] | undefined;
  readonly close: () => void;
}

/** Renders everything about an order, and every change that it allows. */
export function renderDetail({ order, view, action, close }: DetailOptions): TemplateResult {
  const { format, times, now, actions } = view;
  const { id, customer, status, createdAt, readyBy, confirmedReadyBy, completedAt } = order;
  const row = (name: string, value: unknown) =>
    value ? html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>` : nothing;
  const timeRow = (name: string, time: string | null) =>
    row(name, time && `${times.at(time, now)} · ${times.fromNow(time, now)}`);
  const { state, text } = paymentOf(order, format);
  return html`
    <aside class="detail" aria-labelledby="detail-title">
      <header>
        <h2 id="detail-title" tabindex="-1" dir="auto">${customer.name || 'Guest'}</h2>
        <button type="button" class="close quiet" aria-label="Close the details" @click=${close}>${icon('x-mark')}</button>
      </header>
      <p class="status ${statuses[status].column}">
        ${statuses[status].label} ${order.nextStatuses.length > 0 ? html`<span class="payment ${state}">${text}</span>` : nothing}
      </p>
      ${renderService(order)}
      ${renderAddress(order)}
      ${renderLines(order, action ? { action } : {})}
      ${renderNote(order.customerComments)}
      <dl>
        ${amountsOf(order, format).map(([name, amount]) => row(name, amount))}
      </dl>
      <dl>
        ${row('Reason', order.statusReason)}
        ${row('From', order.placedByGuest && 'a web page; nobody has checked who it is')}
        ${row('Phone', customer.phone && html`<a href="tel:${customer.phone.replace(/[^+\d]/g, '')}" dir="ltr">${customer.phone}</a>`)}
        ${timeRow(confirmedReadyBy ? 'Confirmed' : 'Ready by', dueOf(order))}
        ${row('Wanted', confirmedReadyBy && times.at(readyBy, now))}
        ${timeRow('Placed', createdAt)}
        ${row('Completed', completedAt && times.at(completedAt, now))}
        ${row('Till', order.inPos ? 'transferred' : 'not transferred')}
        ${row('Id', html`<code>${id}</code>`)}
      </dl>
      <div class="actions">
        ${renderNext(order, view)}
        ${actions && !view.changeOf(id) ? renderOthers(actions) : nothing}
      </div>
    </aside>`;

  function renderOthers({ askReason }: NonNullable<OrderView['actions']>) {
    // Beside the step that accepts an order is the one that rejects it.
    const others = order.nextStatuses.filter(to => to !== nextStatus(order.nextStatuses) && to !== 'REJECTED');
    return others.map(
      to =>
        html`<button type="button" class="quiet" @click=${() => askReason(order, to)}>${statuses[to].action}</button>`,
    );
  }
}
