import { html, nothing, type TemplateResult } from 'lit-html';
import type { OrderStatus } from '../../../src/generated/web.ts';
import type { Format } from '../../menu/format.ts';
import { type Line, readLines } from './lines.ts';
import type { Order } from './operations.ts';
import type { StatusChange } from './outbox.ts';
import { nextStatus, statuses } from './statuses.ts';
import type { Times } from './times.ts';

/** What cards and details are rendered with. */
export interface OrderView {
  readonly format: Format;
  readonly times: Times;
  readonly now: number;
  /** The change that was not confirmed yet. */
  readonly changeOf: (orderId: string) => StatusChange | undefined;
  /** Undefined for a key that may not change orders. */
  readonly change: ((order: Order, to: OrderStatus) => void) | undefined;
  readonly open: (order: Order) => void;
  readonly isOffline: boolean;
}

const maxLines = 4;

/** Renders an order on the board: what to prepare until when, and the button of the next step. */
export function renderCard(order: Order, view: OrderView, isOpen: boolean): TemplateResult {
  const { times, now, open } = view;
  const { id, customer, readyBy, status, isRead, customerComments } = order;
  const lines = readLines(order.items);
  const isDone = statuses[status].column === 'done';
  return html`
    <li class="card ${isDone ? 'done' : times.urgency(readyBy, now)} ${isOpen ? 'open' : ''}" data-order=${id}>
      <button type="button" class="card-main" aria-expanded=${isOpen} @click=${() => open(order)}>
        <span class="card-head">
          <strong><bdi>${customer.name || 'Guest'}</bdi></strong>
          ${isRead || status !== 'PENDING' ? nothing : html`<span class="badge">new</span>`}
          <span class="number">#${id.slice(-4)}</span>
        </span>
        <span class="due">${
          isDone
            ? html`${statuses[status].label} ${times.fromNow(order.completedAt ?? order.createdAt, now)}`
            : html`<time datetime=${readyBy}>${times.at(readyBy, now)}</time> · ${times.fromNow(readyBy, now)}`
        }</span>
        ${isDone ? nothing : html`<span class="lines">${lines.slice(0, maxLines).map(renderLine)}</span>`}
        ${!isDone && lines.length > maxLines ? html`<span class="small">and ${lines.length - maxLines} more</span>` : nothing}
        ${customerComments && !isDone ? html`<span class="comment" dir="auto">${customerComments}</span>` : nothing}
      </button>
      ${isDone ? nothing : renderNext(order, view)}
    </li>`;
}

function renderLine({ quantity, name, modifiers }: Line): TemplateResult {
  const chosen = modifiers.map(modifier =>
    modifier.quantity > 1 ? `${modifier.quantity} × ${modifier.name}` : modifier.name,
  );
  return html`<span class="order-line"><b>${quantity}</b> <bdi>${name}</bdi>${
    chosen.length > 0 ? html` <small><bdi>${chosen.join(', ')}</bdi></small>` : nothing
  }</span>`;
}

/** The button of the usual next step; while a change is not confirmed, what is being done. */
export function renderNext(order: Order, { changeOf, change, isOffline }: OrderView): TemplateResult | typeof nothing {
  const pending = changeOf(order.id);
  if (pending) {
    const text = isOffline ? `${statuses[pending.to].action}: waits for the network` : statuses[pending.to].progress;
    return html`<p class="pending" role="status">${text}</p>`;
  }
  const next = nextStatus(order.nextStatuses);
  if (!next || !change) return nothing;
  return html`
    <button type="button" class="next main" data-action="next" @click=${() => change(order, next)}>
      ${statuses[next].action}<span class="visually-hidden"> the order of ${order.customer.name}</span>
    </button>`;
}
