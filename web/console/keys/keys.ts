import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { CreateApiKeyInput, KeyFragment as Key } from '../../../src/generated/web.ts';
import { storeName } from '../../menu/languages.ts';
import type { App, Screen } from '../app.ts';
import { openOperations } from '../client.ts';
import { createForm } from '../form.ts';
import { createTimes } from '../orders/times.ts';
import { splitPermissions } from '../permissions.ts';
import { createPagedList } from '../stores/paged-list.ts';
import { createStorePicker } from '../stores/picker.ts';
import { renderKeyForm } from './key-form.ts';

const { operation } = openOperations(new URL('keys.graphql', import.meta.url));
const fetchKeys = operation('ApiKeys');
const createKey = operation('CreateApiKey');
const rotateKey = operation('RotateApiKey');
const revokeKey = operation('RevokeApiKey');

const times = createTimes({ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });

/** The API keys: what each may do and where, when it was last used, and a new secret or an end for it. */
export function createKeys(app: App): Screen {
  const picker = createStorePicker(app, { isSingle: false });
  const form = createForm(app, picker, create);
  const keys = createPagedList<Key>(app, async after => (await fetchKeys({ after })).apiKeys);
  keys.load();

  async function create(input: CreateApiKeyInput) {
    const { createApiKey: issued } = await createKey({ input });
    if (!issued) return undefined;
    keys.edit(nodes => [issued.apiKey, ...nodes]);
    return { label: `The key “${issued.apiKey.name}”.`, text: issued.secret, command: commandFor(issued) };
  }

  async function rotate({ id, name }: Key): Promise<void> {
    const { rotateApiKey: issued } = await rotateKey({ id });
    if (!issued) return;
    replace(issued.apiKey);
    const label = `The new secret of “${name}”; the old one ends within seconds.`;
    form.showSecret({ label, text: issued.secret, command: commandFor(issued) });
  }

  async function revoke({ id }: Key): Promise<void> {
    const { revokeApiKey: revoked } = await revokeKey({ id });
    if (revoked) replace(revoked.apiKey);
  }

  const replace = (changed: Key) => keys.edit(nodes => nodes.map(key => (key.id === changed.id ? changed : key)));

  function view(): TemplateResult {
    return html`
      <div class="page">
        <h1>Keys</h1>
        ${form.view(renderKeyForm)}
        <p class="small" role="status">${keys.hasFailed() ? 'The keys could not be read.' : describe(keys.count())}</p>
        <ul class="list">${repeat(keys.nodes(), ({ id }) => id, renderKey)}</ul>
        ${keys.renderMore()}
      </div>`;
  }

  function renderKey(key: Key): TemplateResult {
    const { id, name, lastUsedAt, createdAt, revokedAt, expiresAt } = key;
    const now = Date.now();
    const isExpired = expiresAt !== null && Date.parse(expiresAt) <= now;
    const isOwn = id === app.viewer.id;
    return html`
      <li class="entry ${revokedAt || isExpired ? 'ended' : ''}">
        <div>
          <strong dir="auto">${name}</strong> <code>${id}</code> ${isOwn ? html`<span class="badge">this tab</span>` : nothing}
          <p class="small">${describeScope(key)} · ${describePermissions(key)}</p>
          <p class="small">
            ${revokedAt ? html`<b class="bad">revoked ${times.fromNow(revokedAt, now)}</b>` : isExpired ? html`<b class="bad">expired</b>` : html`${lastUsedAt ? `last used ${times.fromNow(lastUsedAt, now)}` : 'never used'}${expiresAt ? ` · expires ${times.at(expiresAt, now)}` : nothing}`}
            · issued ${times.at(createdAt, now)}
          </p>
        </div>
        ${revokedAt || isExpired ? nothing : renderActions(key, isOwn)}
      </li>`;
  }

  function renderActions(key: Key, isOwn: boolean): TemplateResult {
    const { id, name } = key;
    const warning = isOwn ? ' This tab uses it, and needs another key then.' : '';
    const askRotate = () =>
      form.ask({
        id,
        verb: 'rotate',
        warning: `The old secret ends within seconds.${warning}`,
        act: () => rotate(key),
      });
    const askRevoke = () =>
      form.ask({ id, verb: 'revoke', warning: `This cannot be undone.${warning}`, act: () => revoke(key) });
    return (
      form.renderQuestion(id) ??
      html`
        <div class="line">
          <button type="button" @click=${askRotate}>Rotate<span class="visually-hidden"> ${name}</span></button>
          <button type="button" @click=${askRevoke}>Revoke<span class="visually-hidden"> ${name}</span></button>
        </div>`
    );
  }

  return { title: () => 'Keys', view, close: picker.close };
}

function describePermissions({ permissions, publishable, origins }: Key): string {
  if (publishable) {
    const orders = permissions.includes('PLACE_GUEST_ORDERS') ? ' and places their orders' : '';
    return `publishable: reads what guests may see${orders}, in pages of ${[...origins, 'Carte itself'].join(', ')}`;
  }
  const { reads, changes } = splitPermissions(permissions);
  return `reads ${reads}, ${changes ? `changes ${changes}` : 'changes nothing'}`;
}

/** A request that the key may send: for a store of its scope or, if it does not read those, about itself. One for web pages has none. */
function commandFor({ secret, apiKey }: { readonly secret: string; readonly apiKey: Key }): string | undefined {
  const { publishable, permissions, scope } = apiKey;
  if (publishable) return undefined;
  const command = `curl -H 'x-api-key: ${secret}'`;
  const [store] = scope.stores;
  const readsMenus = permissions.includes('READ_MENUS') || !permissions.some(name => name.startsWith('READ_'));
  if (readsMenus)
    return `${command} '${new URL(store ? `v1/stores/${encodeURIComponent(store.id)}` : 'v1/stores/?limit=1', document.baseURI)}'`;
  const body = `-H 'content-type: application/json' -d '{"query": "{ viewer { name permissions } }"}'`;
  return `${command} ${body} '${new URL('graphql', document.baseURI)}'`;
}

function describeScope({ scope: { all, merchants, stores } }: Key): string {
  if (all) return 'all stores';
  const names = [
    ...merchants.map(({ brandName }) => `${brandName} with all its stores`),
    ...stores.map(({ id, name }) => storeName(name, navigator.languages) ?? id),
  ];
  if (names.length === 0) return 'nothing: what it had access to is deleted';
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

const describe = (count?: number) =>
  count === undefined ? 'Loading…' : count === 1 ? '1 key' : `${count} keys, the newest first`;
