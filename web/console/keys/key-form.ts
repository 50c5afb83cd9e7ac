import { html, nothing, type TemplateResult } from 'lit-html';
import type { Permission } from '../../../src/generated/web.ts';
import type { KeyRequest } from './operations.ts';

const permissions: Readonly<Record<Permission, string>> = {
  ORDERS: 'change orders',
  STOCK: 'change the stock',
  MENU: 'replace menus',
  ADMIN: 'administer stores, keys and webhooks (all stores only)',
};

export interface KeyFormOptions {
  readonly isSending: boolean;
  readonly errors: readonly string[];
  readonly submit: (request: KeyRequest, form: HTMLFormElement) => void;
}

/** Renders the form of a new API key. The browser keeps what was typed until the key is issued. */
export function renderKeyForm({ isSending, errors, submit }: KeyFormOptions): TemplateResult {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    submit(readForm(new FormData(form)), form);
  };
  return html`
    <details class="panel">
      <summary>New key</summary>
      <form class="form" autocomplete="off" @submit=${onSubmit}>
        <label>Name <input name="name" required maxlength="255" placeholder="What it is for, e.g. till of Lisbon"></label>
        <fieldset>
          <legend>Scope</legend>
          <label class="check"><input type="checkbox" name="all"> all merchants and stores</label>
          <label>Stores <input name="stores" placeholder="ids, separated by spaces" spellcheck="false"></label>
          <label>Merchants, with all their stores <input name="merchants" placeholder="ids, separated by spaces" spellcheck="false"></label>
        </fieldset>
        <fieldset>
          <legend>Permissions besides reading</legend>
          ${Object.entries(permissions).map(
            ([name, text]) =>
              html`<label class="check"><input type="checkbox" name="permissions" value=${name}> ${text}</label>`,
          )}
        </fieldset>
        <label>Expires <input type="date" name="expires"></label>
        ${errors.length > 0 ? html`<ul class="bad" role="alert">${errors.map(error => html`<li>${error}</li>`)}</ul>` : nothing}
        <button type="submit" class="main" ?disabled=${isSending}>Issue the key</button>
      </form>
    </details>`;
}

function readForm(form: FormData): KeyRequest {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const ids = (name: string) =>
    text(name)
      .split(/[\s,]+/)
      .filter(Boolean);
  return {
    name: text('name'),
    all: form.get('all') === 'on',
    storeIds: ids('stores'),
    merchantIds: ids('merchants'),
    permissions: form.getAll('permissions').map(name => name as Permission),
    expiresAt: text('expires') || null,
  };
}
