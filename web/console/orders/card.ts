import { html, nothing, type TemplateResult } from 'lit-html';
import type { OrderStatus } from '../../../src/generated/web.ts';
import type { Format } from '../../menu/format.ts';
import type { Order } from './operations.ts';
import { nextStatus, statuses } from './statuses.ts';
import { renderLines, renderNote, serviceOf } from './ticket.ts';
import type { Times } from './times.ts';
import type { StatusChange } from './watch.ts';

/** What cards and details are rendered with. */
export interface OrderView {
  readonly format: Format;
  readonly times: Times;
  readonly now: number;
  /** The change that was not confirmed yet. */
  readonly changeOf: (orderId: string) => StatusChange | undefined;
  /** Undefined for a key that may not change orders. */
  readonly change: ((order: Order, to: OrderStatus, reason?: string) => void) | undefined;
  /** Whether a click takes the next step. */
  readonly isTap: (click: MouseEvent) => boolean;
  readonly open: (order: Order) => void;
  readonly isOffline: boolean;
}

/** Renders an order on the board as a ticket: what to prepare until when, and the button of the next step. */
export function renderCard(order: Order, view: OrderView, isOpen: boolean): TemplateResult {
  const { id, customer, status, isRead, customerComments } = order;
  const { column } = statuses[status];
  const isWaiting = column === 'new' || column === 'accepted';
  return html`
    <li class="card ${column} ${isWaiting ? view.times.urgency(order.readyBy, view.now) : ''} ${isOpen ? 'open' : ''}" data-order=${id}>
      <button type="button" class="card-main" aria-expanded=${isOpen} @click=${() => view.open(order)}>
        <strong><bdi>${customer.name || 'Guest'}</bdi></strong>
        ${isRead || status !== 'PENDING' ? nothing : html`<span class="badge">new</span>`}
        ${order.placedByGuest ? html`<span class="badge">web</span>` : nothing}
        <span class="number">#${id.slice(-4)}</span>
        ${serviceOf(order) ? html`<span class="service">${serviceOf(order)}</span>` : nothing}
        <span class="due">${renderDue(order, view)}</span>
      </button>
      ${column === 'done' ? nothing : [renderLines(order), renderNote(customerComments), renderNext(order, view)]}
    </li>`;
}

function renderDue({ status, readyBy, completedAt, createdAt }: Order, { times, now }: OrderView) {
  const { column, label } = statuses[status];
  if (column === 'done') return `${label} ${times.fromNow(completedAt ?? createdAt, now)}`;
  const time = html`<time datetime=${readyBy}>${times.at(readyBy, now)}</time>`;
  // An order that is ready waits for its guest.
  return column === 'ready' ? time : html`${time} · ${times.due(readyBy, now)}`;
}

/** The button of the usual next step; while a change is not confirmed, what is being done. */
export function renderNext(
  order: Order,
  { changeOf, change, isTap, isOffline }: OrderView,
): TemplateResult | typeof nothing {
  const pending = changeOf(order.id);
  if (pending) {
    const text = isOffline ? `${statuses[pending.to].action}: waits for the network` : statuses[pending.to].progress;
    return html`<p class="pending" role="status">${text}</p>`;
  }
  const next = nextStatus(order.nextStatuses);
  if (!next || !change) return nothing;
  return html`
    <button type="button" class="next main" data-action="next" @click=${(click: MouseEvent) => isTap(click) && change(order, next)}>
      ${statuses[next].action}<span class="visually-hidden"> the order of ${order.customer.name}</span>
    </button>`;
}
