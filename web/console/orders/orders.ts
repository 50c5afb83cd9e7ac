import { html, nothing, type TemplateResult } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { repeat } from 'lit-html/directives/repeat.js';
import type { OrderStatus } from '../../../src/generated/web.ts';
import type { App, Screen } from '../app.ts';
import { Conflict, messageOf, RequestError } from '../errors.ts';
import type { StoreContext } from '../session.ts';
import { Board, type Columns } from './board.ts';
import { type OrderView, renderCard } from './card.ts';
import { renderDetail } from './detail.ts';
import { moveFocus } from './keyboard.ts';
import { type Connection, followOrders } from './live.ts';
import { fetchOrder, markAsRead, type Order } from './operations.ts';
import { createOrdering } from './ordering.ts';
import { createOutbox, type StatusChange } from './outbox.ts';
import { createOrderSearch } from './search.ts';
import { createSound } from './sound.ts';
import { type Column, columns, statuses } from './statuses.ts';
import { createTimes } from './times.ts';

/** How often the times until orders are due are written anew. */
const clockMs = 15_000;

/** The order board of a store. */
export function createOrders(app: App, store: StoreContext): Screen {
  const { update, notices } = app;
  const times = createTimes(store);
  const sound = createSound();
  let connection: Connection = 'connecting';
  /** The column that a phone shows. */
  let shownColumn: Column = 'new';
  let confirming: OrderStatus | undefined;
  /** An order that was opened by its URL or found by the search, but is not on the board. */
  let foundOrder: Order | undefined;

  const board = new Board(arrived => {
    sound.ring();
    const [first] = arrived;
    notices.announce(arrived.length === 1 ? `New order of ${first?.customer.name}` : `${arrived.length} new orders`);
  });
  const live = followOrders({
    storeId: store.id,
    board,
    onConnection: setConnection,
    update,
    fail: app.fail,
  });
  const outbox = createOutbox({
    storeId: store.id,
    onChanged: order => order && live.report(order),
    onRefused: explainRefusal,
    update,
  });
  const ordering = createOrdering({ app, storeId: store.id, times });
  const search = createOrderSearch({ app, storeId: store.id });
  const timer = setInterval(update, clockMs);
  // On the window, since the focus may be nowhere when what had it is gone.
  addEventListener('keydown', onKeyDown);
  onRoute();

  function setConnection(next: Connection): void {
    if (connection === 'offline' && next !== 'offline') outbox.flush();
    if (connection !== next) update();
    connection = next;
  }

  function change(order: Order, to: OrderStatus): void {
    if (confirming) document.getElementById('detail-title')?.focus();
    confirming = undefined;
    outbox.add({ orderId: order.id, from: order.status, to });
  }

  /** Says what became of an order that someone else has changed. */
  async function explainRefusal({ orderId, to, isRepeated }: StatusChange, error: unknown): Promise<void> {
    const order =
      error instanceof Conflict ? (await fetchOrder({ order: orderId }).catch(() => undefined))?.order : undefined;
    if (order) live.report(order);
    // The first attempt has arrived, though not its response.
    if (isRepeated && order?.status === to) return;
    const name = order?.customer.name ?? board.get(orderId)?.customer.name ?? orderId;
    notices.problem(
      order
        ? `The order of ${name} is already ${statuses[order.status].label}: someone else was faster, so “${statuses[to].action}” was not applied.`
        : `“${statuses[to].action}” for the order of ${name} was not applied. ${messageOf(error)}`,
    );
  }

  function open(order: Order): void {
    foundOrder = order;
    app.navigate({ view: 'orders', store: store.id, order: order.id }, { replace: app.route().order !== undefined });
  }

  function close(): void {
    const { order } = app.route();
    app.navigate({ view: 'orders', store: store.id }, { replace: true });
    queueMicrotask(() => document.querySelector<HTMLElement>(`[data-order="${order}"] .card-main`)?.focus());
  }

  /** Reads the order of the URL if it is not on the board, and marks it as read. */
  function onRoute(): void {
    confirming = undefined;
    const { order: id } = app.route();
    if (id === undefined) return;
    queueMicrotask(() => queueMicrotask(() => document.getElementById('detail-title')?.focus()));
    const known = board.get(id) ?? (foundOrder?.id === id ? foundOrder : undefined);
    if (known) markIfNew(known);
    else loadOrder(id).catch(app.fail);
  }

  async function loadOrder(id: string): Promise<void> {
    const { order } = await fetchOrder({ order: id });
    if (!order) throw new RequestError(`No order in the scope of this key has the id “${id}”.`);
    // Its amounts and times are those of its own store.
    if (order.store.id !== store.id)
      return app.navigate({ view: 'orders', store: order.store.id, order: id }, { replace: true });
    foundOrder = order;
    markIfNew(order);
    update();
  }

  function markIfNew({ id, isRead }: Order): void {
    if (isRead || !app.can('ORDERS')) return;
    // Not worth a message: it is tried again when the order is opened again.
    markAsRead({ orders: [id] }).then(
      ({ markOrders }) => markOrders?.orders.forEach(live.report),
      () => {},
    );
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' && app.route().order !== undefined) close();
    else moveFocus(event);
  }

  function view(): TemplateResult {
    const groups = board.columns();
    const { order: openId } = app.route();
    const orderView: OrderView = {
      format: store.format,
      times,
      now: Date.now(),
      changeOf: outbox.changeOf,
      change: app.can('ORDERS') ? change : undefined,
      open,
      isOffline: connection === 'offline',
    };
    const opened = board.get(openId) ?? (foundOrder?.id === openId ? foundOrder : undefined);
    return html`
      <div class="board-page ${opened ? 'with-detail' : ''}">
        <div class="board-head">
          <h1 dir="auto">${store.name}</h1>
          ${renderConnection()}
          ${ordering.view()}
          <button type="button" role="switch" aria-checked=${sound.isOn()} class="switch" @click=${() => {
            sound.toggle();
            update();
          }}>Sound</button>
          ${search.renderField()}
        </div>
        ${search.isActive() ? search.renderResults(orderView, openId) : renderBoard(groups, orderView, openId)}
        ${opened ? renderDetail({ order: opened, view: orderView, confirming, confirm, close }) : nothing}
      </div>`;
  }

  function confirm(status: OrderStatus | undefined): void {
    confirming = status;
    update();
    queueMicrotask(() => queueMicrotask(() => document.getElementById('confirm')?.focus()));
  }

  function renderConnection(): TemplateResult {
    const waiting = outbox.size();
    const text = { connecting: 'Connecting…', live: 'Live', polling: 'Every second', offline: 'No connection' }[
      connection
    ];
    const detail = connection === 'offline' && waiting > 0 ? `, ${waiting} waiting to be sent` : '';
    return html`<p class="connection ${connection}" role="status">${text}${detail}</p>`;
  }

  function renderBoard(groups: Columns, orderView: OrderView, openId: string | undefined): TemplateResult {
    return html`
      <div class="column-choice" role="group" aria-label="Column">
        ${columns.map(
          ({ name, title }) => html`
            <button type="button" aria-pressed=${name === shownColumn} @click=${() => {
              shownColumn = name;
              update();
            }}>${title} <span class="count">${groups[name].length}</span></button>`,
        )}
      </div>
      <div class="board" data-column=${shownColumn}>
        ${columns.map(
          ({ name, title, empty }) => html`
            <section class="column ${name}" aria-labelledby="column-${name}">
              <h2 id="column-${name}">${title} <span class="count">${groups[name].length}</span></h2>
              ${groups[name].length === 0 && board.isLoaded ? html`<p class="small empty">${empty}</p>` : nothing}
              <ul>${repeat(
                groups[name],
                ({ id }) => id,
                order => renderIfChanged(order, orderView, order.id === openId),
              )}</ul>
            </section>`,
        )}
      </div>`;
  }

  /** Of hundreds of orders, an event changes one. */
  function renderIfChanged(order: Order, orderView: OrderView, isOpen: boolean) {
    const clock = Math.floor(orderView.now / clockMs);
    const shown = [order, outbox.changeOf(order.id), isOpen, orderView.isOffline, clock];
    return guard(shown, () => renderCard(order, orderView, isOpen));
  }

  return {
    title() {
      const count = board.columns().new.length;
      return `${count > 0 ? `(${count}) ` : ''}Orders · ${store.name}`;
    },
    view,
    onRoute,
    close() {
      clearInterval(timer);
      removeEventListener('keydown', onKeyDown);
      live.close();
      outbox.close();
      ordering.close();
      sound.close();
      search.close();
    },
  };
}
