import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { Unreachable } from '../../errors.ts';
import { readKey } from '../../key.ts';
import { renderDiagnostics } from '../../menu/diagnostics.ts';
import { type App, followLink, type Screen } from '../app.ts';
import { formatRoute } from '../route.ts';
import type { StoreContext } from '../session.ts';
import { type Changes, renderChanges } from './changes.ts';
import { renderFindings } from './findings.ts';
import type { Outcome, Step } from './worker.ts';

/** A longer text is not shown: laying it out would keep the tab busy. */
const maxShownLength = 200_000;

/** Replaces the menu configuration of a store by a text or file, as it is posted to the documented route. */
export function createUpload(app: App, store: StoreContext): Screen {
  const storageKey = `carte.console.upload.${store.id}`;
  /** What was typed survives a reload and a change of the view. */
  let text = sessionStorage.getItem(storageKey) ?? '';
  let isSending = false;
  /** Of the last step, until the text changes. */
  let outcome: Outcome = {};

  function setText(next: string): void {
    text = next;
    outcome = {};
    try {
      if (next.length > maxShownLength) sessionStorage.removeItem(storageKey);
      else sessionStorage.setItem(storageKey, next);
    } catch {
      // The storage of the tab is full: it is kept in the field alone.
    }
    app.update();
  }

  /** Shows the file in the field, so that it can be read before it replaces the menu. */
  async function choose({ target }: Event): Promise<void> {
    const [file] = (target as HTMLInputElement).files ?? [];
    if (file) setText(await file.text());
  }

  /** Takes a long text past the field. */
  function paste(event: ClipboardEvent): void {
    const pasted = event.clipboardData?.getData('text/plain') ?? '';
    if (pasted.length <= maxShownLength) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = event.target as HTMLTextAreaElement;
    setText(value.slice(0, selectionStart) + pasted + value.slice(selectionEnd));
  }

  /** Runs a step, during which no other one can be started. */
  async function run(step: Parameters<typeof runInWorker>[0]): Promise<void> {
    isSending = true;
    outcome = {};
    app.update();
    outcome = await runInWorker(step, store.id);
    isSending = false;
    if (outcome.text !== undefined) setText(outcome.text);
    app.update();
  }

  async function upload(): Promise<void> {
    await run({ type: 'upload', text, revision: outcome.preview?.revision ?? null });
    if (!outcome.result) return;
    sessionStorage.removeItem(storageKey);
    app.notices.announce('The menu was replaced.');
  }

  function view(): TemplateResult {
    const history = { view: 'history', store: store.id } as const;
    const { preview, findings = [], problem, isConflict, result, ignored = [] } = outcome;
    const isShown = text.length <= maxShownLength;
    return html`
      <div class="page">
        <div class="board-head"><h1 dir="auto">${store.name}</h1></div>
        <p>Replaces the whole menu by a configuration, as it is posted to
          <code>/v1/stores/${store.id}/menu_configuration/</code>, after it has shown what changes. If anything in it is wrong, nothing is changed.</p>
        <div class="line">
          <label class="file">Choose a file <input type="file" accept=".json,application/json" @change=${choose}></label>
          <button type="button" ?disabled=${isSending} @click=${() => run({ type: 'begin' })}>Begin with the current menu</button>
          <span class="small">or paste the text:</span>
        </div>
        ${isShown ? renderField() : renderSize()}
        ${preview ? renderPreview(preview.changes) : renderButton()}
        <div role="status">
          ${problem ? html`<p class="bad">${isConflict ? `Someone else has just changed the menu. Nothing was replaced: look at what changes now.` : problem}</p>` : nothing}
          ${findings.length > 0 ? html`<p class="bad">${describe(findings.length)} Nothing was changed.</p>` : nothing}
          ${result ? html`<p class="good">The menu is replaced; its revision is ${result.store.menuRevision}. <a href="console${formatRoute(history)}" @click=${followLink(app, history)}>What has changed</a></p>` : nothing}
          ${ignored.length > 0 ? html`<p class="small">Ignored, since the interface has no such fields: ${summarizePaths(ignored)}.</p>` : nothing}
        </div>
        ${findings.length > 0 ? renderFindings(findings, text, isShown) : nothing}
        ${result ? html`<aside id="diagnostics" aria-label="Diagnostics">${renderDiagnostics(result.store.menuDiagnostics)}</aside>` : nothing}
      </div>`;
  }

  const renderField = () => html`
    <label for="posted" class="visually-hidden">Configuration in JSON</label>
    <textarea id="posted" class="posted" dir="ltr" spellcheck="false" autocomplete="off" .value=${live(text)} @paste=${paste}
      @input=${({ target }: InputEvent) => setText((target as HTMLTextAreaElement).value)}></textarea>`;

  const renderSize = () => html`
    <p class="line">A text of ${(text.length / 1e6).toFixed(1)} million characters, which is too long to be shown here.
      <button type="button" class="quiet" ?disabled=${isSending} @click=${() => setText('')}>Take another</button></p>`;

  const renderButton = () => html`
    <div class="line">
      <button type="button" class="main" ?disabled=${isSending || text.trim() === ''} @click=${() => run({ type: 'compare', text })}>${isSending ? 'One moment…' : 'Replace the menu'}</button>
    </div>`;

  const renderPreview = (changes: Changes) => html`
    <section class="panel" role="alert">
      <p>This changes what is on the menu now: <strong>${changes.summary}</strong>.</p>
      ${renderChanges(changes)}
      <p class="line">
        <button type="button" class="main" ?disabled=${isSending} @click=${upload}>Yes, replace it</button>
        <button type="button" class="quiet" @click=${() => setText(text)}>No</button>
      </p>
    </section>`;

  return { title: () => `Upload · ${store.name}`, view };
}

/** Runs a step apart from the tab, which goes on meanwhile. */
function runInWorker(step: DistributiveOmit<Step, 'key' | 'storeId'>, storeId: string): Promise<Outcome> {
  const worker = new Worker(new URL('../../upload-worker.js', import.meta.url), { type: 'module' });
  return new Promise<Outcome>(resolve => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = () => resolve({ problem: new Unreachable().message });
    worker.postMessage({ ...step, key: readKey(), storeId });
  }).finally(() => worker.terminate());
}

type DistributiveOmit<Type, Keys extends string> = Type extends unknown ? Omit<Type, Keys> : never;

/** Names the fields once each, with how often they were given: `items[].colour (3)`. */
function summarizePaths(paths: readonly string[]): string {
  const names = Map.groupBy(paths, path => path.replaceAll(/\.\d+(?=\.|$)/g, '[]'));
  return [...names].map(([name, { length }]) => (length > 1 ? `${name} (${length})` : name)).join(', ');
}

const describe = (count: number) =>
  count === 1 ? 'There is one error.' : `There are ${count === 1000 ? 'more than ' : ''}${count} errors.`;
