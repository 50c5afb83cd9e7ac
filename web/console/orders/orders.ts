import { html, nothing, type TemplateResult } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { repeat } from 'lit-html/directives/repeat.js';
import { RequestError } from '../../errors.ts';
import type { App, Screen } from '../app.ts';
import { createTapFilter } from '../press.ts';
import type { StoreContext } from '../session.ts';
import { askReason, askTime } from './ask.ts';
import { type Columns, dueOf } from './board.ts';
import { type OrderActions, type OrderView, renderCard } from './card.ts';
import { renderDetail } from './detail.ts';
import { moveFocus } from './keyboard.ts';
import { fetchOrder, markAsRead, type Order } from './operations.ts';
import { createOrderSearch } from './search.ts';
import { createSoldOut } from './sold-out.ts';
import { type Column, columns } from './statuses.ts';
import { createTicks } from './ticks.ts';
import { createTimes } from './times.ts';
import type { OrderWatch } from './watch.ts';

/** How often the times until orders are due are written anew. */
const clockMs = 15_000;

/** The order board of a store. */
export function createOrders(app: App, store: StoreContext, watch: OrderWatch): Screen {
  const { update } = app;
  const { board, alarm } = watch;
  const times = createTimes(store);
  /** The column that a phone shows. */
  let shownColumn: Column = 'new';
  /** An order that was opened by its URL or found by the search, but is not on the board. */
  let foundOrder: Order | undefined;
  const search = createOrderSearch({ app, storeId: store.id, known: id => board.get(id) });
  const isTap = createTapFilter();
  const soldOut = createSoldOut(app, store);
  const ticks = createTicks(`carte.console.ticks.${store.id}`, update);
  const actions: OrderActions = {
    change: watch.change,
    takeBack(order) {
      if (!watch.takeBack(order)) app.notices.problem('It is too late to take this back: everyone has seen it.');
    },
    askReason: (order, to) => askReason(app, order, to, watch.change),
    askTime: order => askTime(app, order, store, watch.change),
  };
  const timer = setInterval(update, clockMs);
  watch.listen({
    onOrder(order) {
      if (order.id === foundOrder?.id) foundOrder = order;
      search.report(order);
    },
    onReload: search.load,
  });
  // On the window, since the focus may be nowhere when what had it is gone.
  addEventListener('keydown', onKeyDown);
  onRoute();

  const hasGuestOrders = () =>
    Object.values(board.columns()).some(orders => orders.some(({ placedByGuest }) => placedByGuest));

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
      ({ markOrders }) => markOrders?.orders.forEach(watch.report),
      () => {},
    );
  }

  function onKeyDown(event: KeyboardEvent): void {
    const isInDialog = document.querySelector('dialog[open]') !== null;
    if (event.key === 'Escape' && app.route().order !== undefined && !isInDialog) close();
    else moveFocus(event);
  }

  function view(): TemplateResult {
    const groups = board.columns();
    const { order: openId } = app.route();
    const orderView: OrderView = {
      format: store.format,
      times,
      now: Date.now(),
      changeOf: watch.changeOf,
      actions: app.can('ORDERS') ? actions : undefined,
      isTap,
      open,
      ticks,
      tick: (order, index) => ticks.toggle(order.id, index, id => board.get(id)?.status === 'ACCEPTED'),
      isOffline: watch.connection() === 'offline',
    };
    const opened = board.get(openId) ?? (foundOrder?.id === openId ? foundOrder : undefined);
    return html`
      <div class="board-page ${opened ? 'with-detail' : ''}">
        <div class="board-head">
          <h1 dir="auto">${store.name}</h1>
          ${renderConnection()}
          ${app.ordering()?.renderGuestOrders(hasGuestOrders())}
          <button type="button" role="switch" aria-checked=${alarm.isOn()} class="switch" @click=${() => {
            alarm.toggle();
            update();
          }}>Sound${alarm.isMuted() ? html` <span class="small">(tap once)</span>` : nothing}</button>
          ${alarm.canAsk() ? html`<button type="button" @click=${alarm.ask}>Notify me</button>` : nothing}
          ${search.renderField()}
        </div>
        ${search.isActive() ? search.renderResults(orderView, openId) : renderBoard(groups, orderView, openId)}
        ${opened ? renderDetail({ order: opened, view: orderView, action: soldOut, close }) : nothing}
      </div>`;
  }

  function renderConnection(): TemplateResult {
    const connection = watch.connection();
    const waiting = watch.waiting();
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
            }}>${title} ${renderCount(name, groups)}</button>`,
        )}
      </div>
      <div class="board" data-column=${shownColumn}>
        ${columns.map(
          ({ name, title, empty }) => html`
            <section class="column ${name}" aria-labelledby="column-${name}">
              <h2 id="column-${name}">${title} ${renderCount(name, groups)}</h2>
              ${groups[name].length === 0 && board.isLoaded ? html`<p class="small empty">${empty}</p>` : nothing}
              ${renderOrders(name, groups[name], orderView, openId)}
            </section>`,
        )}
      </div>`;
  }

  const renderCount = (name: Column, { [name]: { length } }: Columns) =>
    html`<span class="count ${name === 'new' && length > 0 ? name : ''}">${length}</span>`;

  /** Orders for later are apart from those that have to be prepared now. */
  function renderOrders(name: Column, orders: readonly Order[], orderView: OrderView, openId: string | undefined) {
    const isSplit = name === 'new' || name === 'accepted';
    const isLater = (order: Order) => isSplit && times.isScheduled(dueOf(order), orderView.now);
    const renderList = (listed: readonly Order[]) => html`
      <ul>${repeat(
        listed,
        ({ id }) => id,
        order => renderIfChanged(order, orderView, order.id === openId),
      )}</ul>`;
    const later = orders.filter(isLater);
    if (later.length === 0) return renderList(orders);
    return html`
      ${renderList(orders.filter(order => !isLater(order)))}
      <h3>Scheduled <span class="count">${later.length}</span></h3>
      ${renderList(later)}`;
  }

  /** Of hundreds of orders, an event changes one. */
  function renderIfChanged(order: Order, orderView: OrderView, isOpen: boolean) {
    const clock = Math.floor(orderView.now / clockMs);
    const shown = [order, watch.changeOf(order.id), ticks.of(order.id), isOpen, orderView.isOffline, clock];
    return guard(shown, () => renderCard(order, orderView, isOpen));
  }

  return {
    title: () => `Orders · ${store.name}`,
    view,
    onRoute,
    close() {
      clearInterval(timer);
      removeEventListener('keydown', onKeyDown);
      watch.listen(undefined);
      search.close();
    },
  };
}
