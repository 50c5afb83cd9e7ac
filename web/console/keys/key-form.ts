import { html, type TemplateResult } from 'lit-html';
import type { CreateApiKeyInput, Permission } from '../../../src/generated/web.ts';
import { errorAt, errorsBeside, onSubmit, textOf } from '../fields.ts';
import type { FormOptions } from '../form.ts';

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

interface Preset {
  readonly name: string;
  readonly text: string;
  readonly permissions: readonly Permission[];
  readonly publishable?: boolean;
}

/** What most keys are for. */
const presets: readonly Preset[] = [
  {
    name: 'Kitchen',
    text: 'sees and changes orders, marks what is sold out',
    permissions: ['READ_MENUS', 'READ_ORDERS', 'ORDERS', 'STOCK'],
  },
  {
    name: 'Till',
    text: 'that, and replaces menus and prices',
    permissions: ['READ_MENUS', 'READ_ORDERS', 'ORDERS', 'STOCK', 'MENU'],
  },
  {
    name: 'Web shop',
    text: 'a publishable key: guests see menus and order',
    permissions: ['PLACE_GUEST_ORDERS'],
    publishable: true,
  },
  {
    name: 'Back office',
    text: 'reads everything, changes menus and stock',
    permissions: ['READ_MENUS', 'READ_ORDERS', 'READ_HISTORY', 'STOCK', 'MENU'],
  },
];
const [initial] = presets;

/** Renders the form of a new API key. The browser keeps what was typed until the key is issued. */
export function renderKeyForm({ picker, isSending, errors, submit }: FormOptions<CreateApiKeyInput>): TemplateResult {
  return html`
    <details class="panel">
      <summary>New key</summary>
      <form class="form" novalidate autocomplete="off" @submit=${onSubmit(readForm, submit)}>
        <label>Name <input name="name" maxlength="255" placeholder="e.g. tablet of the kitchen in Lisbon"
          aria-invalid=${'name' in errors}>${errorAt(errors, 'name')}</label>
        <fieldset class="presets" @change=${choosePreset}>
          <legend>What it is for</legend>
          ${presets.map(
            ({ name, text }) => html`
            <label class="check"><input type="radio" name="preset" value=${name} ?checked=${name === initial?.name}>
              <span><b>${name}</b> <span class="small">${text}</span></span></label>`,
          )}
        </fieldset>
        <fieldset>
          <legend>Scope</legend>
          <label class="check"><input type="checkbox" name="all"> all merchants and stores</label>
          ${picker.view()}
        </fieldset>
        <label class="origins">Origins of the pages of a web shop, separated by spaces
          <input name="origins" placeholder="https://menu.example" spellcheck="false"
            aria-invalid=${'origins' in errors}>${errorAt(errors, 'origins')}</label>
        <label>Expires <input type="date" name="expiresAt" aria-invalid=${'expiresAt' in errors}>${errorAt(errors, 'expiresAt')}</label>
        <details>
          <summary>Permissions one by one</summary>
          <fieldset>
            <legend>Reads these, or everything if none is chosen</legend>
            ${renderPermissions(name => name.startsWith('READ_'))}
          </fieldset>
          <fieldset>
            <legend>Besides reading</legend>
            ${renderPermissions(name => !name.startsWith('READ_'))}
            <label class="check"><input type="checkbox" name="publishable"> publishable, for web pages: reads what guests may see</label>
          </fieldset>
        </details>
        ${errorsBeside(errors, ['name', 'origins', 'expiresAt'])}
        <button type="submit" class="main" ?disabled=${isSending}>Issue the key</button>
      </form>
    </details>`;
}

/** Checks the permissions of the preset that was chosen; they can be changed one by one afterwards. */
function choosePreset({ target }: Event): void {
  if (!(target instanceof HTMLInputElement) || !target.form) return;
  const { permissions, publishable = false } = presets.find(({ name }) => name === target.value) ?? { permissions: [] };
  for (const box of target.form.querySelectorAll<HTMLInputElement>('[name="permissions"]'))
    box.checked = permissions.some(name => name === box.value);
  const box = target.form.querySelector<HTMLInputElement>('[name="publishable"]');
  if (box) box.checked = publishable;
}

function renderPermissions(isListed: (name: string) => boolean): TemplateResult[] {
  const isInitial = (name: string) => initial?.permissions.some(permission => permission === name) ?? false;
  return Object.entries(permissions)
    .filter(([name]) => isListed(name))
    .map(
      ([name, text]) =>
        html`<label class="check"><input type="checkbox" name="permissions" value=${name} ?checked=${isInitial(name)}> ${text}</label>`,
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
    expiresAt: text('expiresAt') || null,
  };
}
