import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { MenuHistoryQuery } from '../../../src/generated/web.ts';
import { Conflict, messageOf } from '../../errors.ts';
import type { App, Screen } from '../app.ts';
import { openOperations } from '../client.ts';
import { icon } from '../icon.ts';
import { createTimes } from '../orders/times.ts';
import type { StoreContext } from '../session.ts';
import { createPagedList } from '../stores/paged-list.ts';
import { type Changes, nameOf, renderChanges } from './changes.ts';

const { operation } = openOperations(new URL('history.graphql', import.meta.url));
const fetchHistory = operation('MenuHistory');
const fetchChanges = operation('MenuChanges');
const restoreMenu = operation('RestoreMenu');

type Revision = NonNullable<MenuHistoryQuery['store']>['menuHistory']['nodes'][number];

const sources: Readonly<Record<Revision['source'], string>> = {
  POST: 'posted',
  MUTATION: 'replaced',
  STOCK: 'stock',
  STOCK_UNTIL: 'back in stock at the set time',
  PRICES: 'prices',
  RESTORE: 'restored',
  DEMO: 'demo',
  SQL: 'by the operator',
  UNKNOWN: 'before the history began',
};

/** Everything but stock, which changes many times a day. */
const menuSources = Object.keys(sources).filter(source => !source.startsWith('STOCK')) as Revision['source'][];

/** Every revision of the menu: what changed, when and by whom, and the way back. */
export function createHistory(app: App, store: StoreContext): Screen {
  const times = createTimes(store);
  let current: number | undefined;
  let hidesStock = false;
  /** Of the opened revision: what it has changed, null if the history has none before it; and what restoring it would change. */
  let opened:
    | { readonly revision: number; readonly changes?: Changes | null; readonly restoring?: Changes | null }
    | undefined;
  let confirming = false;
  let isSending = false;

  const list = createPagedList<Revision>(app, async after => {
    const variables = { store: store.id, after, sources: hidesStock ? menuSources : [], languages: store.languages };
    // Of a very large menu the graph does not compare so many revisions at once: their numbers have to do.
    const { store: found } = await fetchHistory({ ...variables, named: true }).catch(() =>
      fetchHistory({ ...variables, named: false }),
    );
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

  /** Compares the revision with the one before it and, unless it is the current one, the current one with it. */
  async function load(revision: number): Promise<void> {
    const find = () => list.nodes().find(node => node.revision === revision);
    // A link may lead to one that is far down.
    while (!find() && list.hasMore()) await list.loadMore();
    const { previousRevision = null } = find() ?? {};
    const [changes, restoring] = await Promise.all([
      previousRevision === null ? null : compare(previousRevision, revision),
      current === undefined || revision === current ? null : compare(current, revision),
    ]);
    if (opened?.revision !== revision) return;
    opened = { revision, changes, restoring };
    app.update();
  }

  async function compare(from: number, to: number): Promise<Changes | null> {
    const { store: found } = await fetchChanges({ store: store.id, from, to, languages: store.languages });
    return found?.menuChanges ?? null;
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

  function toggleStock(): void {
    hidesStock = !hidesStock;
    app.navigate({ view: 'history', store: store.id }, { replace: true });
    list.load();
  }

  function view(): TemplateResult {
    const count = list.count();
    const now = Date.now();
    const days = Map.groupBy(list.nodes(), ({ createdAt }) => times.day(createdAt, now));
    return html`
      <div class="page">
        <div class="board-head">
          <h1 dir="auto">${store.name}</h1>
          <button type="button" role="switch" class="switch" aria-checked=${!hidesStock} @click=${toggleStock}>Stock changes</button>
        </div>
        <p class="small" role="status">${list.hasFailed() ? 'The history could not be read.' : count === undefined ? 'Loading…' : count === 1 ? '1 revision' : `${count} revisions`}</p>
        ${count === 0 ? html`<div class="nothing">${icon('clock')}<strong>No changes yet.</strong><p>Every change of the menu will be listed here, with the way back.</p></div>` : nothing}
        ${repeat(
          days,
          ([day]) => day,
          ([day, revisions]) => html`
            <section class="day" aria-label=${day}>
              <h2>${day}</h2>
              <ol class="list revisions">${repeat(revisions, ({ revision }) => revision, renderRevision)}</ol>
            </section>`,
        )}
        ${list.renderMore()}
      </div>`;
  }

  function renderRevision({ revision, createdAt, source, keyName, summary, menuChanges }: Revision): TemplateResult {
    const isOpen = opened?.revision === revision;
    return html`
      <li>
        <button type="button" class="row" aria-expanded=${isOpen} @click=${() => toggle(revision)}>
          <span>${renderTitle(summary, menuChanges)}</span>
          <span class="small">${revision === current ? html`<span class="badge">current</span> ` : nothing}<time datetime=${createdAt}>${times.time(createdAt)}</time> · ${sources[source]}${keyName ? html` · <bdi>${keyName}</bdi>` : nothing}</span>
        </button>
        ${isOpen ? renderOpened() : nothing}
      </li>`;
  }

  function renderOpened(): TemplateResult | typeof nothing {
    if (!opened) return nothing;
    const { revision, changes, restoring } = opened;
    return html`
      <div class="opened">
        ${changes ? renderChanges(changes) : html`<p class="small">${changes === null ? 'The history has nothing before this revision.' : 'Loading…'}</p>`}
        ${app.can('MENU') && restoring ? renderRestore(revision, restoring) : nothing}
      </div>`;
  }

  function renderRestore(revision: number, restoring: Changes): TemplateResult {
    if (!confirming) {
      return html`<button type="button" @click=${() => {
        confirming = true;
        app.update();
      }}>Restore this revision</button>`;
    }
    return html`
      <div class="panel" role="alert">
        <p>Restoring changes what is on the menu now: ${restoring.summary}.</p>
        ${renderChanges(restoring)}
        <p class="line">
          <button type="button" class="main" ?disabled=${isSending} @click=${() => restore(revision)}>Yes, restore it</button>
          <button type="button" class="quiet" @click=${() => {
            confirming = false;
            app.update();
          }}>No</button>
        </p>
      </div>`;
  }

  return { title: () => `History · ${store.name}`, view, onRoute };
}

/** Names what a small change was about, e.g. “Bica price €1.10 → €1.45”; the numbers of a large one have to do. */
function renderTitle(summary: string, changes: Revision['menuChanges']): TemplateResult {
  if (!changes || changes.totalCount === 0 || changes.totalCount > changes.entities.length)
    return html`<strong>${summary}</strong>`;
  return html`${changes.entities.map(
    entity =>
      html`<span class="change"><strong><bdi>${nameOf(entity)}</bdi></strong> ${entity.change === 'CHANGED' ? entity.summary : entity.change.toLowerCase()}</span>`,
  )}`;
}
