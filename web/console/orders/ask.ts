import { html, nothing } from 'lit-html';
import type { OrderStatus } from '../../../src/generated/web.ts';
import { formatLocalTime, parseLocalTime } from '../../menu/local-time.ts';
import type { App } from '../app.ts';
import { renderChoice } from '../dialog.ts';
import { onSubmit, textOf } from '../fields.ts';
import type { StoreContext } from '../session.ts';
import type { OrderActions } from './card.ts';
import type { Order } from './operations.ts';
import { reasons, statuses } from './statuses.ts';

const nameOf = ({ customer }: Order) => customer.name || 'a guest';

/** Asks why an order is refused or cancelled, which cannot be undone. */
export function askReason(app: App, order: Order, to: OrderStatus, change: OrderActions['change']): void {
  const { action } = statuses[to];
  const send = (reason: string) => {
    app.dialogs.close();
    change(order, to, { reason: reason || null });
    document.getElementById('detail-title')?.focus();
  };
  const read = (form: FormData) => textOf(form, 'own') || textOf(form, 'reason');
  app.dialogs.open({
    title: `${action}? This cannot be undone.`,
    body: () => html`
      <p>The order of <bdi>${nameOf(order)}</bdi>. Everyone sees the reason, guests included.</p>
      <form class="form" @submit=${onSubmit(read, send)}>
        <fieldset class="choices">
          <legend>Reason, if you like</legend>
          ${reasons[to]?.map(reason => html`<label class="check"><input type="radio" name="reason" value=${reason}> ${reason}</label>`) ?? nothing}
        </fieldset>
        <label>In other words <input name="own" maxlength="1000" autocomplete="off" dir="auto"></label>
        ${renderChoice(app, html`<button class="danger" autofocus>Yes, ${action.toLowerCase()}</button>`)}
      </form>`,
  });
}

const halfHourMs = 30 * 60_000;
const hourMs = 2 * halfHourMs;

/** Asks when an order will be ready, and accepts it for that time. */
export function askTime(app: App, order: Order, { timezone }: StoreContext, change: OrderActions['change']): void {
  const earliest = Date.now();
  const proposed = new Date(Math.max(earliest + halfHourMs, Date.parse(order.readyBy)));
  let error = '';
  const send = (readyBy: Date | undefined) => {
    error = !readyBy
      ? 'Enter a date and a time.'
      : readyBy.getTime() < Date.now() - hourMs
        ? 'This is in the past.'
        : '';
    if (error || !readyBy) return app.update();
    app.dialogs.close();
    change(order, 'ACCEPTED', { readyBy: readyBy.toISOString() });
  };
  app.dialogs.open({
    title: 'When will it be ready?',
    body: () => html`
      <p>The order of <bdi>${nameOf(order)}</bdi>.</p>
      <form class="form" novalidate @submit=${onSubmit(form => parseLocalTime(textOf(form, 'readyBy'), timezone), send)}>
        <label>Time at the store
          <input name="readyBy" type="datetime-local" autofocus value=${formatLocalTime(proposed, timezone)}
            aria-invalid=${error !== ''} aria-describedby="ready-error"></label>
        <span id="ready-error" class="field-error" role="alert">${error}</span>
        ${renderChoice(app, html`<button class="main">Accept</button>`)}
      </form>`,
  });
}
