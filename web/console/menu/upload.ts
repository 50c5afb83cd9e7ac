import type { DocumentNode } from '@humanwhocodes/momoa';
import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import type { UploadMenuMutation, UploadMenuMutationVariables } from '../../../src/generated/web.ts';
import { Conflict, InvalidInput, messageOf, type ValidationError } from '../../errors.ts';
import { renderDiagnostics } from '../../menu/diagnostics.ts';
import { type App, followLink, type Screen } from '../app.ts';
import { openOperations } from '../client.ts';
import { formatRoute } from '../route.ts';
import type { StoreContext } from '../session.ts';
import { type Changes, renderChanges } from './changes.ts';
import { compareMenus } from './compare.ts';
import { type Finding, renderFindings } from './findings.ts';
import { findPlace, parsePosted, SyntaxProblem, toInput, toPosted, toPostedMessage, toPostedPath } from './posted.ts';

const { operation } = openOperations(new URL('upload.graphql', import.meta.url));
const uploadMenu = operation('UploadMenu');
const fetchCurrent = operation('CurrentMenu');

type Result = NonNullable<UploadMenuMutation['replaceMenuConfiguration']>;

/** Replaces the menu configuration of a store by a text or file, as it is posted to the documented route. */
export function createUpload(app: App, store: StoreContext): Screen {
  const storageKey = `carte.console.upload.${store.id}`;
  /** What was typed survives a reload and a change of the view. */
  let text = sessionStorage.getItem(storageKey) ?? '';
  /** What the text would change in the menu of a revision, once the user has asked for it. */
  let preview: { readonly revision: number; readonly changes: Changes } | undefined;
  let isSending = false;
  let findings: readonly Finding[] = [];
  let problem: string | undefined;
  let isConflict = false;
  let result: Result | undefined;
  let ignored: readonly string[] = [];

  function setText(next: string): void {
    text = next;
    result = undefined;
    preview = undefined;
    try {
      sessionStorage.setItem(storageKey, next);
    } catch {
      // Too large for the storage of the tab: it is kept in the field alone.
    }
    app.update();
  }

  /** Shows the file in the field, so that it can be read before it replaces the menu. */
  async function choose({ target }: Event): Promise<void> {
    const [file] = (target as HTMLInputElement).files ?? [];
    findings = [];
    problem = undefined;
    if (file) setText(await file.text());
  }

  /** Runs a step, during which no other one can be started, and shows its errors. */
  async function run(step: () => Promise<void>): Promise<void> {
    isSending = true;
    findings = [];
    problem = undefined;
    isConflict = false;
    ignored = [];
    app.update();
    try {
      await step();
    } catch (error) {
      explain(error);
    } finally {
      isSending = false;
      app.update();
    }
  }

  async function readCurrent() {
    const { store: found } = await fetchCurrent({ store: store.id });
    if (!found) throw new Error(`The store ${store.id} is gone`);
    return found;
  }

  /** Begins with the menu as it is. */
  async function begin(): Promise<void> {
    const { menuRevision: _revision, ...menu } = await readCurrent();
    setText(JSON.stringify(toPosted(menu), null, 2));
  }

  async function compare(): Promise<void> {
    const input = toInput(parsePosted(text), new Set());
    const current = await readCurrent();
    preview = { revision: current.menuRevision, changes: compareMenus(current, input) };
  }

  async function upload(): Promise<void> {
    const { revision = null } = preview ?? {};
    preview = undefined;
    result = await send(parsePosted(text), new Set(), revision);
    sessionStorage.removeItem(storageKey);
    app.notices.announce('The menu was replaced.');
  }

  /** Leaves out fields that the interface does not have, as the documented route does, and reports them. */
  async function send(
    document: DocumentNode,
    without: ReadonlySet<string>,
    revision: number | null,
  ): Promise<Result | undefined> {
    try {
      const menu = toInput(document, without) as UploadMenuMutationVariables['input'];
      const sent = await uploadMenu({ input: { ...menu, storeId: store.id, expectedRevision: revision } });
      return sent.replaceMenuConfiguration ?? undefined;
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const paths = error.errors.map(({ path }) => pathOf(path));
      const extra = paths.filter((_path, index) => error.errors[index]?.type === 'extra_forbidden');
      if (extra.length === 0) throw withPlaces(error, document);
      ignored = [...ignored, ...extra.map(path => path.join('.'))];
      return send(document, new Set([...without, ...extra.map(path => JSON.stringify(path))]), revision);
    }
  }

  function explain(error: unknown): void {
    isConflict = error instanceof Conflict;
    if (error instanceof SyntaxProblem) findings = [atOffset(error)];
    else if (error instanceof PlacedErrors) findings = error.findings;
    else problem = messageOf(error);
  }

  function atOffset({ message, offset }: SyntaxProblem): Finding {
    const line = text.slice(0, offset).split('\n').length;
    return { message, path: '', start: offset, end: offset + 1, line };
  }

  function view(): TemplateResult {
    const history = { view: 'history', store: store.id } as const;
    return html`
      <div class="page">
        <div class="board-head"><h1 dir="auto">${store.name}</h1></div>
        <p>Replaces the whole menu by a configuration, as it is posted to
          <code>/v1/stores/${store.id}/menu_configuration/</code>, after it has shown what changes. If anything in it is wrong, nothing is changed.</p>
        <div class="line">
          <label class="file">Choose a file <input type="file" accept=".json,application/json" @change=${choose}></label>
          <button type="button" ?disabled=${isSending} @click=${() => run(begin)}>Begin with the current menu</button>
          <span class="small">or paste the text:</span>
        </div>
        <label for="posted" class="visually-hidden">Configuration in JSON</label>
        <textarea id="posted" class="posted" dir="ltr" spellcheck="false" autocomplete="off" .value=${live(text)}
          @input=${({ target }: InputEvent) => setText((target as HTMLTextAreaElement).value)}></textarea>
        ${preview ? renderPreview(preview.changes) : renderButton()}
        <div role="status">
          ${problem ? html`<p class="bad">${isConflict ? `Someone else has just changed the menu. Nothing was replaced: look at what changes now.` : problem}</p>` : nothing}
          ${findings.length > 0 ? html`<p class="bad">${describe(findings.length)} Nothing was changed.</p>` : nothing}
          ${result ? html`<p class="good">The menu is replaced; its revision is ${result.revision}. <a href="console${formatRoute(history)}" @click=${followLink(app, history)}>What has changed</a></p>` : nothing}
          ${ignored.length > 0 ? html`<p class="small">Ignored, since the interface has no such fields: ${summarizePaths(ignored)}.</p>` : nothing}
        </div>
        ${findings.length > 0 ? renderFindings(findings, text) : nothing}
        ${result ? html`<aside id="diagnostics" aria-label="Diagnostics">${renderDiagnostics(result.diagnostics)}</aside>` : nothing}
      </div>`;
  }

  const renderButton = () => html`
    <div class="line">
      <button type="button" class="main" ?disabled=${isSending || text.trim() === ''} @click=${() => run(compare)}>${isSending ? 'One moment…' : 'Replace the menu'}</button>
    </div>`;

  const renderPreview = (changes: Changes) => html`
    <section class="panel" role="alert">
      <p>This changes what is on the menu now: <strong>${changes.summary}</strong>.</p>
      ${renderChanges(changes)}
      <p class="line">
        <button type="button" class="main" ?disabled=${isSending} @click=${() => run(upload)}>Yes, replace it</button>
        <button type="button" class="quiet" @click=${() => setText(text)}>No</button>
      </p>
    </section>`;

  return { title: () => `Upload · ${store.name}`, view };
}

/** Validation errors with their places in the text. */
class PlacedErrors extends Error {
  readonly findings: readonly Finding[];
  constructor(findings: readonly Finding[]) {
    super();
    this.findings = findings;
  }
}

function withPlaces({ errors }: InvalidInput, document: DocumentNode): PlacedErrors {
  const findings = errors.map(({ path, message }) => {
    const posted = pathOf(path);
    return { message: toPostedMessage(message, posted), path: posted.join('.'), ...findPlace(document, posted) };
  });
  return new PlacedErrors(findings.sort((one, other) => one.start - other.start));
}

/** The path below the variable. */
const pathOf = (path: ValidationError['path']) => toPostedPath(path.slice(1));

/** Names the fields once each, with how often they were given: `items[].colour (3)`. */
function summarizePaths(paths: readonly string[]): string {
  const names = Map.groupBy(paths, path => path.replaceAll(/\.\d+(?=\.|$)/g, '[]'));
  return [...names].map(([name, { length }]) => (length > 1 ? `${name} (${length})` : name)).join(', ');
}

const describe = (count: number) =>
  count === 1 ? 'There is one error.' : `There are ${count === 1000 ? 'more than ' : ''}${count} errors.`;
