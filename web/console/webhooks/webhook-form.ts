import { html, type TemplateResult } from 'lit-html';
import type { CreateWebhookInput, EventKind } from '../../../src/generated/web.ts';
import { errorAt, errorsBeside, onSubmit, textOf } from '../fields.ts';
import type { FormOptions } from '../form.ts';

export const kinds: Readonly<Record<EventKind, string>> = {
  ORDER_PLACED: 'orders placed',
  ORDER_CHANGED: 'orders changed',
  ORDERS_CHANGED: 'many orders changed at once',
  MENU_CHANGED: 'menus replaced',
  STOCK_CHANGED: 'stock changed',
  STORE_CREATED: 'stores created',
  STORE_CHANGED: 'stores changed',
  STORE_DELETED: 'stores deleted',
  ORDERING_CHANGED: 'stores paused, delayed or opened',
  HOURS_CHANGED: 'special hours changed',
};

const preselected = new Set<string>(['ORDER_PLACED', 'ORDER_CHANGED', 'ORDERS_CHANGED']);

/** Renders the form of a new webhook. */
export function renderWebhookForm({
  picker,
  isSending,
  errors,
  submit,
}: FormOptions<CreateWebhookInput>): TemplateResult {
  return html`
    <details class="panel">
      <summary>New webhook</summary>
      <form class="form" novalidate autocomplete="off" @submit=${onSubmit(readForm, submit)}>
        <label>URL <input name="url" type="url" spellcheck="false" placeholder="https://pos.example.com/carte"
          aria-invalid=${'url' in errors}>${errorAt(errors, 'url')}</label>
        <fieldset>
          <legend>Events of one store, or of all stores of a merchant</legend>
          ${picker.view()}
        </fieldset>
        <fieldset>
          <legend>Events</legend>
          ${Object.entries(kinds).map(
            ([name, text]) =>
              html`<label class="check"><input type="checkbox" name="kinds" value=${name} ?checked=${preselected.has(name)}> ${text}</label>`,
          )}
        </fieldset>
        ${errorsBeside(errors, ['url'])}
        <button type="submit" class="main" ?disabled=${isSending}>Create the webhook</button>
      </form>
    </details>`;
}

function readForm(form: FormData): CreateWebhookInput {
  const text = (name: string) => textOf(form, name);
  return {
    url: text('url'),
    storeId: text('stores') || null,
    merchantId: text('merchants') || null,
    kinds: form.getAll('kinds').map(kind => kind as EventKind),
  };
}
