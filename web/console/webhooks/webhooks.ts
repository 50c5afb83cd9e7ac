import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type {
  AttemptFragment as Attempt,
  CreateWebhookInput,
  WebhookEntryFragment as Webhook,
} from '../../../src/generated/web.ts';
import { storeName } from '../../menu/languages.ts';
import type { App, Screen } from '../app.ts';
import { openOperations } from '../client.ts';
import { createForm } from '../form.ts';
import { icon } from '../icon.ts';
import { createTimes } from '../orders/times.ts';
import { createStorePicker } from '../stores/picker.ts';
import { type Delivery, renderDeliveries } from './deliveries.ts';
import { kinds, renderWebhookForm } from './webhook-form.ts';

const { operation } = openOperations(new URL('webhooks.graphql', import.meta.url));
const fetchWebhooks = operation('Webhooks');
const fetchDeliveries = operation('WebhookDeliveries');
const createWebhook = operation('CreateWebhook');
const rotateSecret = operation('RotateWebhookSecret');
const pauseWebhook = operation('PauseWebhook');
const resumeWebhook = operation('ResumeWebhook');
const removeWebhook = operation('RemoveWebhook');
const testWebhook = operation('TestWebhook');
const redeliver = operation('RedeliverMessage');

const times = createTimes({ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });

/** How old the state of webhooks is at most. */
const reloadMs = 5_000;

/** The webhooks: their state, what was delivered, and every action on them. */
export function createWebhooks(app: App): Screen {
  const picker = createStorePicker(app, { isSingle: true });
  const form = createForm(app, picker, create);
  let webhooks: readonly Webhook[] | undefined;
  let deliveries: readonly Delivery[] | undefined;

  load().catch(app.fail);
  onRoute();
  const timer = setInterval(() => {
    if (!document.hidden && webhooks) reload().catch(() => {});
  }, reloadMs);

  async function load(): Promise<void> {
    webhooks = (await fetchWebhooks({})).webhooks.nodes;
    app.update();
  }

  /** What is delivered and fails meanwhile; without a connection, what is shown stays. */
  async function reload(): Promise<void> {
    const { webhook } = app.route();
    await load();
    if (webhook && deliveries) await loadDeliveries(webhook);
  }

  function onRoute(): void {
    deliveries = undefined;
    const { webhook } = app.route();
    if (webhook) loadDeliveries(webhook).catch(app.fail);
  }

  async function loadDeliveries(id: string): Promise<void> {
    const { webhook } = await fetchDeliveries({ id });
    if (webhook) replace(webhook);
    if (app.route().webhook === id) deliveries = webhook?.deliveries.nodes ?? [];
    app.update();
  }

  function replace(changed: Webhook | undefined): void {
    webhooks = webhooks?.map(webhook => (webhook.id === changed?.id ? changed : webhook));
  }

  async function create(input: CreateWebhookInput) {
    const { createWebhook: created } = await createWebhook({ input });
    if (!created) return undefined;
    webhooks = [...(webhooks ?? []), created.webhook];
    return { label: 'The secret to verify signatures with.', text: created.secret };
  }

  const act = (action: () => Promise<void>) => () => form.run(action);

  async function rotate({ id }: Webhook): Promise<void> {
    const { rotateWebhookSecret: rotated } = await rotateSecret({ id });
    if (!rotated) return;
    replace(rotated.webhook);
    form.showSecret({ label: 'The new secret; for 24 hours messages are signed with both.', text: rotated.secret });
  }

  async function remove({ id }: Webhook): Promise<void> {
    replace((await removeWebhook({ id })).removeWebhook?.webhook);
  }

  function tell(attempt: Attempt | null | undefined): void {
    if (!attempt) return;
    const { isDelivered, httpStatus, error, durationMs } = attempt;
    if (isDelivered) app.notices.info(`Delivered: ${httpStatus} in ${durationMs} ms.`);
    else app.notices.problem(`Not delivered: ${error ?? httpStatus}`);
  }

  function view(): TemplateResult {
    return html`
      <div class="page">
        <h1>Webhooks</h1>
        ${form.view(renderWebhookForm)}
        ${webhooks === undefined ? html`<p class="small" role="status">Loading…</p>` : nothing}
        ${webhooks?.length === 0 ? html`<div class="nothing">${icon('bell')}<strong>There are no webhooks yet.</strong><p>One sends the orders of a store to your server as they come in: create it above, then send a test.</p></div>` : nothing}
        <ul class="list">${repeat(webhooks?.toReversed() ?? [], ({ id }) => id, renderWebhook)}</ul>
      </div>`;
  }

  function renderWebhook(webhook: Webhook): TemplateResult {
    const { id, url, state, notice, lastDeliveredAt, failingSince, waitingSince } = webhook;
    const now = Date.now();
    const isOpen = app.route().webhook === id;
    const shownState = state === 'ACTIVE' && failingSince ? 'failing' : state.toLowerCase();
    const facts = [
      lastDeliveredAt ? `last delivered ${times.fromNow(lastDeliveredAt, now)}` : 'nothing delivered yet',
      ...(waitingSince ? [`oldest waiting event ${times.fromNow(waitingSince, now)}`] : []),
    ];
    return html`
      <li class="entry ${state === 'REMOVED' ? 'ended' : ''}">
        <div>
          <strong>${url}</strong> <span class="badge ${shownState}">${shownState}</span>
          <p class="small">${scopeOf(webhook)} · ${webhook.kinds.map(kind => kinds[kind]).join(', ')}</p>
          <p class="small">${facts.join(' · ')}${failingSince ? html` · <b class="bad">failing since ${times.at(failingSince, now)}</b>` : nothing}</p>
          ${notice ? html`<p class="bad">${notice}</p>` : nothing}
        </div>
        ${state === 'REMOVED' ? nothing : renderActions(webhook)}
        ${
          isOpen
            ? renderDeliveries({
                deliveries,
                times,
                redeliver: messageId =>
                  act(async () => {
                    tell((await redeliver({ id, messageId })).redeliverWebhookMessage?.attempt);
                    await loadDeliveries(id);
                  })(),
              })
            : nothing
        }
      </li>`;
  }

  function renderActions(webhook: Webhook): TemplateResult {
    const { id, state, url } = webhook;
    const isOpen = app.route().webhook === id;
    const isSending = form.isSending();
    const toggle = () =>
      app.navigate(isOpen ? { view: 'webhooks' } : { view: 'webhooks', webhook: id }, { replace: true });
    const of = html`<span class="visually-hidden"> ${url}</span>`;
    const warning = 'Its undelivered events are lost. This cannot be undone.';
    const askRemove = () => form.ask({ id, verb: 'remove', warning, act: () => remove(webhook) });
    const question = form.renderQuestion(id);
    if (question) return question;
    return html`
      <div class="line">
        <button type="button" aria-expanded=${isOpen} @click=${toggle}>Deliveries${of}</button>
        <button type="button" ?disabled=${isSending} @click=${act(async () => tell((await testWebhook({ id })).testWebhook?.attempt))}>Test${of}</button>
        ${
          state === 'PAUSED'
            ? html`<button type="button" ?disabled=${isSending} @click=${act(async () => replace((await resumeWebhook({ id })).resumeWebhook?.webhook))}>Resume${of}</button>`
            : html`<button type="button" ?disabled=${isSending} @click=${act(async () => replace((await pauseWebhook({ id })).pauseWebhook?.webhook))}>Pause${of}</button>`
        }
        <button type="button" ?disabled=${isSending} @click=${act(() => rotate(webhook))}>New secret${of}</button>
        <button type="button" @click=${askRemove}>Remove${of}</button>
      </div>`;
  }

  function close(): void {
    clearInterval(timer);
    picker.close();
  }

  return { title: () => 'Webhooks', view, onRoute, close };
}

function scopeOf({ merchant, store }: Webhook): string {
  if (merchant) return `${merchant.brandName} with all its stores`;
  return store ? (storeName(store.name, navigator.languages) ?? store.id) : 'its store is deleted';
}
