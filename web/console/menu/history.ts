import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type {
  MenuChangesQuery,
  MenuChangesQueryVariables,
  MenuHistoryQuery,
  MenuHistoryQueryVariables,
  RestoreMenuMutation,
  RestoreMenuMutationVariables,
} from '../../../src/generated/web.ts';
import type { App, Screen } from '../app.ts';
import { openOperations } from '../client.ts';
import { Conflict, messageOf } from '../errors.ts';
import { createTimes } from '../orders/times.ts';
import type { StoreContext } from '../session.ts';
import { createPagedList } from '../stores/paged-list.ts';
import { type Changes, renderChanges } from './changes.ts';

const { operation } = openOperations(new URL('history.graphql', import.meta.url));
const fetchHistory = operation<MenuHistoryQuery, MenuHistoryQueryVariables>('MenuHistory');
const fetchChanges = operation<MenuChangesQuery, MenuChangesQueryVariables>('MenuChanges');
const restoreMenu = operation<RestoreMenuMutation, RestoreMenuMutationVariables>('RestoreMenu');

type Revision = NonNullable<MenuHistoryQuery['store']>['menuHistory']['nodes'][number];

const sources: Readonly<Record<Revision['source'], string>> = {
  POST: 'posted',
  MUTATION: 'replaced',
  STOCK: 'stock',
  RESTORE: 'restored',
  DEMO: 'demo',
  SQL: 'by the operator',
  UNKNOWN: 'before the history began',
};

/** Every revision of the menu: what changed, when and by whom, and the way back. */
export function createHistory(app: App, store: StoreContext): Screen {
  const times = createTimes(store);
  let current: number | undefined;
  /** Of the opened revision: what it has changed, and what was changed since. */
  let opened:
    | { readonly revision: number; readonly changes?: Changes | undefined; readonly since?: Changes | undefined }
    | undefined;
  let confirming = false;
  let isSending = false;

  const list = createPagedList<Revision>(app, async after => {
    const { store: found } = await fetchHistory({ store: store.id, after });
    if (!found) throw new Error(`The store ${store.id} is gone`);
    current = found.menuRevision;
    return found.menuHistory;
  });
  start();

  async function start(): Promise<void> {
    await list.load();
    onRoute();
  }

  function onRoute(): void {
    confirming = false;
    const revision = Number(app.route().revision);
    opened = revision > 0 ? { revision } : undefined;
    if (opened) load(revision).catch(app.fail);
    app.update();
  }

  /** Compares the revision with the one before it and, unless it is the current one, with that. */
  async function load(revision: number): Promise<void> {
    const nodes = list.nodes();
    const before = nodes[nodes.findIndex(node => node.revision === revision) + 1]?.revision;
    const [changes, since] = await Promise.all([
      before === undefined ? undefined : compare(before, revision),
      revision === current ? undefined : compare(revision, null),
    ]);
    if (opened?.revision !== revision) return;
    opened = { revision, changes, since };
    app.update();
  }

  async function compare(from: number, to: number | null): Promise<Changes | undefined> {
    const { store: found } = await fetchChanges({ store: store.id, from, to, languages: store.languages });
    return found?.menuChanges ?? undefined;
  }

  async function restore(revision: number): Promise<void> {
    if (current === undefined) return;
    isSending = true;
    app.update();
    try {
      await restoreMenu({ store: store.id, revision, expectedRevision: current });
      app.notices.info('The menu is restored. It is a new revision, which can be undone in the same way.');
      app.navigate({ view: 'history', store: store.id }, { replace: true });
    } catch (error) {
      if (error instanceof Conflict)
        app.notices.problem('Someone else has just changed the menu. Nothing was restored.');
      else app.notices.problem(`Nothing was restored. ${messageOf(error)}`);
    }
    isSending = false;
    confirming = false;
    await start();
  }

  function toggle(revision: number): void {
    const isOpen = opened?.revision === revision;
    const route = { view: 'history', store: store.id } as const;
    app.navigate(isOpen ? route : { ...route, revision: String(revision) }, { replace: true });
  }

  function view(): TemplateResult {
    const count = list.count();
    return html`
      <div class="page">
        <h1 dir="auto">${store.name}</h1>
        <p class="small" role="status">${list.hasFailed() ? 'The history could not be read.' : count === undefined ? 'Loading…' : count === 1 ? '1 revision' : `${count} revisions`}</p>
        <ol class="list" aria-label="Revisions">${repeat(list.nodes(), ({ revision }) => revision, renderRevision)}</ol>
        ${list.renderMore()}
      </div>`;
  }

  function renderRevision({ revision, createdAt, source, keyName, summary }: Revision): TemplateResult {
    const now = Date.now();
    const isOpen = opened?.revision === revision;
    return html`
      <li>
        <button type="button" class="row" aria-expanded=${isOpen} @click=${() => toggle(revision)}>
          <span><strong>${summary}</strong> ${revision === current ? html`<span class="badge">current</span>` : nothing}</span>
          <span class="small"><time datetime=${createdAt}>${times.at(createdAt, now)}</time> · ${times.fromNow(createdAt, now)} · ${sources[source]}${keyName ? html` · <bdi>${keyName}</bdi>` : nothing}</span>
        </button>
        ${isOpen ? renderOpened() : nothing}
      </li>`;
  }

  function renderOpened(): TemplateResult | typeof nothing {
    if (!opened) return nothing;
    const { revision, changes, since } = opened;
    const isOldest = list.nodes().at(-1)?.revision === revision && !changes;
    return html`
      <div class="opened">
        ${changes ? renderChanges(changes) : html`<p class="small">${isOldest ? 'The history has nothing before this revision.' : 'Loading…'}</p>`}
        ${app.can('MENU') && since ? renderRestore(revision, since) : nothing}
      </div>`;
  }

  function renderRestore(revision: number, since: Changes): TemplateResult {
    if (!confirming) {
      return html`<button type="button" @click=${() => {
        confirming = true;
        app.update();
      }}>Restore this revision</button>`;
    }
    return html`
      <div class="panel" role="alert">
        <p>Restoring undoes what has changed since: ${since.summary}.</p>
        ${renderChanges(since)}
        <p class="line">
          <button type="button" class="main" ?disabled=${isSending} @click=${() => restore(revision)}>Yes, restore it</button>
          <button type="button" @click=${() => {
            confirming = false;
            app.update();
          }}>No</button>
        </p>
      </div>`;
  }

  return { title: () => `History · ${store.name}`, view, onRoute };
}
