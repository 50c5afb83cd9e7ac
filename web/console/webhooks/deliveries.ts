import { html, nothing, type TemplateResult } from 'lit-html';
import type { WebhookDeliveriesQuery } from '../../../src/generated/web.ts';
import type { Times } from '../orders/times.ts';

export type Delivery = NonNullable<WebhookDeliveriesQuery['webhook']>['deliveries']['nodes'][number];

export interface DeliveriesOptions {
  /** Undefined while they are read. */
  readonly deliveries: readonly Delivery[] | undefined;
  readonly times: Times;
  readonly redeliver: (messageId: string) => void;
}

const states: Readonly<Record<Delivery['state'], { readonly text: string; readonly class: string }>> = {
  DELIVERED: { text: 'delivered', class: 'good' },
  FAILING: { text: 'failing', class: 'bad' },
  GIVEN_UP: { text: 'given up', class: 'bad' },
};

/** Renders the last messages of a webhook, newest first. */
export function renderDeliveries({ deliveries, times, redeliver }: DeliveriesOptions): TemplateResult {
  if (!deliveries) return html`<p class="small deliveries">Loading…</p>`;
  if (deliveries.length === 0) return html`<p class="small deliveries">Nothing was sent in the last days.</p>`;
  const now = Date.now();
  return html`
    <table class="deliveries">
      <caption class="visually-hidden">Deliveries</caption>
      <thead><tr><th scope="col">Event</th><th scope="col">Store</th><th scope="col">State</th><th scope="col"><span class="visually-hidden">Action</span></th></tr></thead>
      <tbody>${deliveries.map(
        ({ messageId, kind, storeId, orderId, eventAt, state, attemptCount, httpStatus, error, durationMs }) => html`
          <tr>
            <td>${kind.toLowerCase().replaceAll('_', ' ')}<br><span class="small">${times.at(eventAt, now)}${orderId ? ` · #${orderId.slice(-4)}` : nothing}</span></td>
            <td><code>${storeId}</code></td>
            <td><span class=${states[state].class}>${states[state].text}</span> <span class="small">${httpStatus ?? nothing} ${durationMs} ms${attemptCount > 1 ? `, ${attemptCount} attempts` : nothing}</span>
              ${error ? html`<br><span class="small">${error}</span>` : nothing}</td>
            <td><button type="button" @click=${() => redeliver(messageId)}>Send again</button></td>
          </tr>`,
      )}</tbody>
    </table>`;
}
