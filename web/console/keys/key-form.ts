import { html, type TemplateResult } from 'lit-html';
import type { CreateApiKeyInput, Permission } from '../../../src/generated/web.ts';
import { type FormOptions, onSubmit, renderErrors, textOf } from '../form.ts';

const permissions: Readonly<Record<Permission, string>> = {
  READ_MENUS: 'stores, merchants and menus',
  READ_ORDERS: 'orders and their guests',
  READ_OWN_ORDERS: 'orders that it has placed itself',
  READ_HISTORY: 'the history of menus',
  ORDERS: 'change orders',
  STOCK: 'change the stock',
  MENU: 'replace menus',
  PLACE_GUEST_ORDERS: 'place orders of guests (publishable keys only)',
  ADMIN: 'administer stores, keys and webhooks (all stores only)',
};

/** Renders the form of a new API key. The browser keeps what was typed until the key is issued. */
export function renderKeyForm({ picker, isSending, errors, submit }: FormOptions<CreateApiKeyInput>): TemplateResult {
  return html`
    <details class="panel">
      <summary>New key</summary>
      <form class="form" autocomplete="off" @submit=${onSubmit(readForm, submit)}>
        <label>Name <input name="name" required maxlength="255" placeholder="What it is for, e.g. till of Lisbon"></label>
        <fieldset>
          <legend>Scope</legend>
          <label class="check"><input type="checkbox" name="all"> all merchants and stores</label>
          ${picker.view()}
        </fieldset>
        <fieldset>
          <legend>For web pages</legend>
          <label class="check"><input type="checkbox" name="publishable"> publishable: reads what guests may see</label>
          <label>Origins of the pages <input name="origins" placeholder="https://menu.example, separated by spaces" spellcheck="false"></label>
        </fieldset>
        <fieldset>
          <legend>Permissions for reading: everything, or only</legend>
          ${renderPermissions(name => name.startsWith('READ_'))}
        </fieldset>
        <fieldset>
          <legend>Permissions besides reading</legend>
          ${renderPermissions(name => !name.startsWith('READ_'))}
        </fieldset>
        <label>Expires <input type="date" name="expires"></label>
        ${renderErrors(errors)}
        <button type="submit" class="main" ?disabled=${isSending}>Issue the key</button>
      </form>
    </details>`;
}

function renderPermissions(isListed: (name: string) => boolean): TemplateResult[] {
  return Object.entries(permissions)
    .filter(([name]) => isListed(name))
    .map(
      ([name, text]) =>
        html`<label class="check"><input type="checkbox" name="permissions" value=${name}> ${text}</label>`,
    );
}

function readForm(form: FormData): CreateApiKeyInput {
  const text = (name: string) => textOf(form, name);
  const all = form.get('all') === 'on';
  const ids = (name: string) => (all ? [] : form.getAll(name).map(String));
  return {
    name: text('name'),
    all,
    storeIds: ids('stores'),
    merchantIds: ids('merchants'),
    permissions: form.getAll('permissions').map(name => name as Permission),
    publishable: form.get('publishable') === 'on',
    origins: text('origins')
      .split(/[\s,]+/)
      .filter(Boolean),
    expiresAt: text('expires') || null,
  };
}
