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
import { fetchMenuRevision } from '../stock/entries.ts';
import { type Finding, renderFindings } from './findings.ts';
import { findPlace, parsePosted, SyntaxProblem, toInput, toPostedMessage, toPostedPath } from './posted.ts';

const { operation } = openOperations(new URL('upload.graphql', import.meta.url));
const uploadMenu = operation('UploadMenu');

type Result = NonNullable<UploadMenuMutation['replaceMenuConfiguration']>;

/** Replaces the menu configuration of a store by a text or file, as it is posted to the documented route. */
export function createUpload(app: App, store: StoreContext): Screen {
  const storageKey = `carte.console.upload.${store.id}`;
  /** What was typed survives a reload and a change of the view. */
  let text = sessionStorage.getItem(storageKey) ?? '';
  /** The revision that is replaced: that of when the text was begun. */
  let revision: number | undefined;
  let isSending = false;
  let findings: readonly Finding[] = [];
  let problem: string | undefined;
  let isConflict = false;
  let result: Result | undefined;
  let ignored: readonly string[] = [];

  readRevision();
  async function readRevision(): Promise<void> {
    try {
      revision = await fetchMenuRevision(store.id);
    } catch (error) {
      app.fail(error);
    }
  }

  function setText(next: string): void {
    text = next;
    result = undefined;
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

  async function upload(): Promise<void> {
    isSending = true;
    findings = [];
    problem = undefined;
    isConflict = false;
    ignored = [];
    app.update();
    try {
      const document = parsePosted(text);
      result = await send(document, new Set());
      revision = result?.revision;
      sessionStorage.removeItem(storageKey);
      app.notices.announce('The menu was replaced.');
    } catch (error) {
      explain(error);
    } finally {
      isSending = false;
      app.update();
    }
  }

  /** Leaves out fields that the interface does not have, as the documented route does, and reports them. */
  async function send(document: DocumentNode, without: ReadonlySet<string>): Promise<Result | undefined> {
    try {
      const menu = toInput(document, without) as UploadMenuMutationVariables['input'];
      const sent = await uploadMenu({ input: { ...menu, storeId: store.id, expectedRevision: revision ?? null } });
      return sent.replaceMenuConfiguration ?? undefined;
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const paths = error.errors.map(({ path }) => pathOf(path));
      const extra = paths.filter((_path, index) => error.errors[index]?.type === 'extra_forbidden');
      if (extra.length === 0) throw withPlaces(error, document);
      ignored = [...ignored, ...extra.map(path => path.join('.'))];
      return send(document, new Set([...without, ...extra.map(path => JSON.stringify(path))]));
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
    return { message: `This is no JSON: ${message}`, path: '', start: offset, end: offset + 1, line };
  }

  async function replaceAnyway(): Promise<void> {
    await readRevision();
    await upload();
  }

  function view(): TemplateResult {
    const history = { view: 'history', store: store.id } as const;
    return html`
      <div class="page">
        <h1 dir="auto">${store.name}</h1>
        <p>Replaces the whole menu by a configuration, as it is posted to
          <code>/v1/stores/${store.id}/menu_configuration/</code>. If anything in it is wrong, nothing is changed.</p>
        <div class="line">
          <label class="file">Choose a file <input type="file" accept=".json,application/json" @change=${choose}></label>
          <span class="small">or paste the text:</span>
        </div>
        <label for="posted" class="visually-hidden">Configuration in JSON</label>
        <textarea id="posted" class="posted" dir="ltr" spellcheck="false" autocomplete="off" .value=${live(text)}
          @input=${({ target }: InputEvent) => setText((target as HTMLTextAreaElement).value)}></textarea>
        <div class="line">
          <button type="button" class="main" ?disabled=${isSending || text.trim() === ''} @click=${upload}>${isSending ? 'Uploading…' : 'Replace the menu'}</button>
          ${isConflict ? html`<button type="button" @click=${replaceAnyway}>Replace it all the same</button>` : nothing}
        </div>
        <div role="status">
          ${problem ? html`<p class="bad">${isConflict ? `Someone else has changed the menu since you opened this page. ${problem}` : problem}</p>` : nothing}
          ${findings.length > 0 ? html`<p class="bad">${describe(findings.length)} Nothing was changed.</p>` : nothing}
          ${result ? html`<p class="good">The menu is replaced; its revision is ${result.revision}. <a href="console${formatRoute(history)}" @click=${followLink(app, history)}>What has changed</a></p>` : nothing}
          ${ignored.length > 0 ? html`<p class="small">Ignored, since the interface has no such fields: ${ignored.slice(0, 20).join(', ')}${ignored.length > 20 ? ` and ${ignored.length - 20} more` : nothing}.</p>` : nothing}
        </div>
        ${findings.length > 0 ? renderFindings(findings, text) : nothing}
        ${result ? html`<aside id="diagnostics" aria-label="Diagnostics">${renderDiagnostics(result.diagnostics)}</aside>` : nothing}
      </div>`;
  }

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

const describe = (count: number) =>
  count === 1 ? 'There is one error.' : `There are ${count === 1000 ? 'more than ' : ''}${count} errors.`;
