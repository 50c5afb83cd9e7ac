import { html, type TemplateResult } from 'lit-html';
import type { App } from './app.ts';

export type Dialogs = ReturnType<typeof createDialogs>;

interface Dialog {
  readonly title: string;
  /** Renders what is below the title. */
  readonly body: () => TemplateResult;
}

/** Creates the modal dialog of the page, which shows one thing at a time. */
export function createDialogs(update: () => void) {
  let shown: Dialog | undefined;
  const element = () => document.querySelector<HTMLDialogElement>('#dialog');

  return {
    open(dialog: Dialog): void {
      shown = dialog;
      update();
      // Not before: the browser gives the focus to what is in it then.
      queueMicrotask(() => queueMicrotask(() => element()?.showModal()));
    },
    close: () => element()?.close(),
    view: (): TemplateResult => html`
      <dialog id="dialog" closedby="any" aria-labelledby="dialog-title" @close=${() => {
        shown = undefined;
        update();
      }}>${shown ? html`<h2 id="dialog-title" dir="auto">${shown.title}</h2>${shown.body()}` : ''}</dialog>`,
  };
}

/** The buttons that end a dialog. */
export const renderChoice = ({ dialogs }: Pick<App, 'dialogs'>, yes: TemplateResult): TemplateResult => html`
  <div class="line">${yes}<button type="button" class="quiet" @click=${dialogs.close}>Cancel</button></div>`;
