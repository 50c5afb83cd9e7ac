import { html, nothing, type TemplateResult } from 'lit-html';
import type { OrderStatus } from '../../../src/generated/web.ts';
import type { PriceFormats } from '../../menu/price-formats.ts';
import { icon } from '../icon.ts';
import { dueOf } from './board.ts';
import type { Order } from './operations.ts';
import { paymentOf } from './payment.ts';
import { nextStatus, statuses, takeBackMs } from './statuses.ts';
import { countItems, type LineParts, renderAddress, renderLines, renderNote, renderService } from './ticket.ts';
import type { Ticks } from './ticks.ts';
import type { Times } from './times.ts';
import type { ChangeDetails, StatusChange } from './watch.ts';

/** What cards and details are rendered with. */
export interface OrderView {
  readonly format: PriceFormats;
  readonly times: Times;
  readonly now: number;
  /** The change that was not confirmed yet. */
  readonly changeOf: (orderId: string) => StatusChange | undefined;
  /** Undefined for a key that may not change orders. */
  readonly actions: OrderActions | undefined;
  /** Whether a click takes the next step. */
  readonly isTap: (click: MouseEvent) => boolean;
  readonly open: (order: Order) => void;
  readonly ticks: Ticks;
  readonly tick: (order: Order, index: number) => void;
  readonly isOffline: boolean;
}

export interface OrderActions {
  readonly change: (order: Order, to: OrderStatus, details?: ChangeDetails) => void;
  /** Takes back a step that was not sent yet. */
  readonly takeBack: (order: Order) => void;
  /** Asks for a reason before the order is refused or cancelled. */
  readonly askReason: (order: Order, to: OrderStatus) => void;
  /** Asks for the time at which the order will be ready, and accepts it. */
  readonly askTime: (order: Order) => void;
}

/** Renders an order on the board as a ticket: what to prepare until when, and the button of the next step. */
export function renderCard(order: Order, view: OrderView, isOpen: boolean): TemplateResult {
  const { id, customer, status, isRead } = order;
  const { column } = statuses[status];
  const isWaiting = column === 'new' || column === 'accepted';
  return html`
    <li class="card ${column} ${isWaiting ? view.times.urgency(dueOf(order), view.now) : ''} ${isOpen ? 'open' : ''}" data-order=${id}>
      <button type="button" class="card-main" aria-expanded=${isOpen} @click=${() => view.open(order)}>
        ${renderDue(order, view)}
        <span class="number">#${id.slice(-4)}</span>
        ${renderService(order)}
        <span class="guest">
          <strong><bdi>${customer.name || 'Guest'}</bdi></strong>
          ${isRead || status !== 'PENDING' ? nothing : html`<span class="badge">new</span>`}
          ${order.placedByGuest ? html`<span class="badge">web</span>` : nothing}
        </span>
        <span class="facts">${countItems(order)} ${renderPayment(order, view)}</span>
      </button>
      ${column === 'done' ? nothing : renderContents(order, view)}
    </li>`;
}

/** Who cooks needs no address, and ticks off what is done. */
function renderContents(order: Order, view: OrderView): TemplateResult {
  const isInKitchen = order.status === 'ACCEPTED';
  return html`
    <div class="contents">
      ${isInKitchen ? nothing : renderAddress(order)}
      ${renderLines(order, isInKitchen ? { mark: createMark(order, view) } : {})}
      ${renderNote(order.customerComments)}
      ${renderNext(order, view)}
    </div>`;
}

function renderPayment(order: Order, { format }: OrderView): TemplateResult {
  const { state, text } = paymentOf(order, format);
  // Nobody collects anything for an order that is completed.
  const isOver = order.nextStatuses.length === 0;
  return isOver ? html`<span>${format.price(order.total)}</span>` : html`<span class="payment ${state}">${text}</span>`;
}

/** Ticks off a line by a tap anywhere on it. */
function createMark(order: Order, { ticks, tick }: OrderView): NonNullable<LineParts['mark']> {
  const ticked = ticks.of(order.id) ?? [];
  return ({ quantity, name }, index) => html`
    <button type="button" class="tick" role="checkbox" aria-checked=${ticked.includes(index)} aria-label="${quantity} ${name}"
      @click=${() => tick(order, index)}></button>`;
}

function renderDue(order: Order, { times, now }: OrderView): TemplateResult {
  const { status, completedAt, createdAt, steps, confirmedReadyBy } = order;
  const { column, label } = statuses[status];
  if (column === 'done') return html`<span class="due">${label} ${times.fromNow(completedAt ?? createdAt, now)}</span>`;
  const due = dueOf(order);
  const ready = steps.findLast(step => step.status === 'READY')?.at;
  // An order that is ready waits for its guest.
  const left = column !== 'ready' ? times.due(due, now) : ready ? `waits ${times.since(ready, now)}` : '';
  return html`
    <time class="when" datetime=${due}>${times.at(due, now)}</time>
    <span class="due">${left}${confirmedReadyBy && column !== 'ready' ? html` <span class="confirmed">confirmed</span>` : nothing}</span>`;
}

/** The steps to choose from; while a change is not confirmed, what is being done. */
export function renderNext(order: Order, view: OrderView): TemplateResult | typeof nothing {
  const { changeOf, actions, isTap } = view;
  const pending = changeOf(order.id);
  if (pending) return renderPending(order, pending, view);
  const next = nextStatus(order.nextStatuses);
  if (!next || !actions) return nothing;
  const isNew = next === 'ACCEPTED';
  return html`
    <div class="steps">
      <button type="button" class="next ${isNew ? 'main' : ''}" data-action="next" @click=${(click: MouseEvent) => isTap(click) && actions.change(order, next)}>
        ${statuses[next].action}<span class="visually-hidden"> the order of ${order.customer.name}</span>
      </button>
      ${isNew ? renderOtherAnswers(order, view, actions) : nothing}
    </div>`;
}

function renderPending(order: Order, { to, heldUntil }: StatusChange, view: OrderView): TemplateResult {
  const { action, progress } = statuses[to];
  const { actions, isOffline, isTap, now } = view;
  if (heldUntil === undefined)
    return html`<p class="pending" role="status">${isOffline ? `${action}: waits for the network` : progress}</p>`;
  return html`
    <div class="steps held" .style=${`--passed: ${now - heldUntil + takeBackMs}ms`}>
      <p class="pending" role="status">${action}</p>
      <button type="button" @click=${(click: MouseEvent) => isTap(click) && actions?.takeBack(order)}>${icon('arrow-uturn-left')} Take back</button>
    </div>`;
}

/** By how many minutes an order can be accepted later by one tap. */
const delays = [5, 10, 20] as const;

/** Beside the button that accepts an order for its time: other times, and the refusal. */
function renderOtherAnswers(order: Order, { times, now, isTap }: OrderView, actions: OrderActions): TemplateResult {
  const base = Math.max(now, Date.parse(dueOf(order)));
  const tap = (act: () => void) => (click: MouseEvent) => isTap(click) && act();
  return html`
    <button type="button" class="quiet" @click=${tap(() => actions.askReason(order, 'REJECTED'))}>
      Reject<span class="visually-hidden"> the order of ${order.customer.name}</span></button>
    <div class="delays" role="group" aria-label="Ready later">${delays.map(minutes => {
      const readyBy = new Date(base + minutes * 60_000).toISOString();
      const at = times.at(readyBy, now);
      return html`<button type="button" aria-label="${minutes} min later, at ${at}" title=${at}
        @click=${tap(() => actions.change(order, 'ACCEPTED', { readyBy }))}>+${minutes}</button>`;
    })}<button type="button" aria-label="Another time" @click=${tap(() => actions.askTime(order))}>…</button></div>`;
}
