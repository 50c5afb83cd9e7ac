import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { readKey, saveKey } from '../key.ts';

export interface KeyFormOptions {
  readonly update: () => void;
  /** Called when a key was entered. */
  readonly onKey: () => void;
}

/** Creates the page that asks for an API key. */
export function createKeyForm({ update, onKey }: KeyFormOptions) {
  let typed = '';
  let isRevealed = false;
  let rejection: string | undefined;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    saveKey(typed.trim());
    onKey();
  }

  return {
    accept(): void {
      typed = '';
      rejection = undefined;
    },
    /** Leaves the key in the field to be corrected. */
    reject(key: string, message: string): void {
      typed = key;
      rejection = message;
    },
    view: (): TemplateResult => html`
      <main class="welcome">
        <a href="./" title="All pages of Carte"><img src="web/icon.svg" alt="Carte" width="56" height="56"></a>
        <h1>Carte console</h1>
        <p>Orders, stock and menus of your stores. The console needs an API key; what the key may not do is not shown.</p>
        <form class="line" autocomplete="off" @submit=${submit}>
          <label for="key">Key</label>
          <input id="key" spellcheck="false" autocomplete="off" required aria-describedby="key-note"
            type=${isRevealed ? 'text' : 'password'} .value=${live(typed)} aria-invalid=${rejection ? 'true' : 'false'}
            @input=${({ target }: InputEvent) => {
              typed = (target as HTMLInputElement).value;
            }}>
          <button type="button" aria-pressed=${isRevealed} @click=${() => {
            isRevealed = !isRevealed;
            update();
          }}>Show</button>
          <button type="submit" class="main">Use</button>
        </form>
        ${rejection && readKey() === '' ? html`<p class="bad" role="alert">${rejection}</p>` : nothing}
        <p id="key-note" class="small">It stays in this tab, for all pages of Carte, until you forget it or close the tab.</p>
      </main>`,
  };
}
