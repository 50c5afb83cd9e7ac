import { html, nothing, type TemplateResult } from 'lit-html';
import { createKeyForm } from '../key-form.ts';

/** Creates the page that asks for an API key; `onKey` is called when one was entered. */
export function createWelcome(onKey: () => void) {
  const { form, show, accept, reject } = createKeyForm({ onChange: onKey });
  let rejection: string | undefined;
  show(false);
  return {
    accept(): void {
      accept();
      rejection = undefined;
    },
    /** Forgets the key, but leaves it in the field to be corrected. */
    reject(message: string): void {
      reject();
      rejection = message;
    },
    view: (): TemplateResult => html`
      <main class="welcome" id="content" tabindex="-1">
        <h1>Carte console</h1>
        <p>Orders, stock and menus of your stores. The console needs an API key; what the key may not do is not shown.</p>
        ${form}
        ${rejection ? html`<p class="bad" role="alert">${rejection}</p>` : nothing}
        <p id="key-note" class="small">It stays in this tab, for all pages of Carte, until you forget it or close the tab.</p>
      </main>`,
  };
}
