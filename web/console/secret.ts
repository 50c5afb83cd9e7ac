import { html, nothing, type TemplateResult } from 'lit-html';

export interface Secret {
  readonly label: string;
  readonly text: string;
  /** A command that uses the secret. */
  readonly command?: string | undefined;
}

/** Renders a secret that cannot be shown again, until the user has stored it. */
export function renderSecret({ label, text, command }: Secret, done: () => void): TemplateResult {
  return html`
    <div class="panel secret" role="alert">
      <p><strong>${label}</strong> It is not stored, and cannot be shown again.</p>
      <p class="line"><code>${text}</code> ${renderCopy(text, 'Copy')}
        <button type="button" @click=${done}>Done</button></p>
      ${
        command
          ? html`<p class="small">To try it on the command line:</p>
            <p class="line"><code>${command}</code> ${renderCopy(command, 'Copy the command')}</p>`
          : nothing
      }
    </div>`;
}

/** Scrolls to the secret once it is rendered: the form that it is made by may be longer than the window. */
export function revealSecret(): void {
  queueMicrotask(() => queueMicrotask(() => document.querySelector('.secret')?.scrollIntoView({ block: 'nearest' })));
}

function renderCopy(text: string, label: string): TemplateResult {
  const copy = ({ currentTarget }: Event) => {
    const button = currentTarget as HTMLButtonElement;
    navigator.clipboard.writeText(text).then(
      () => button.replaceChildren('Copied'),
      // Without the permission, or over http: it is selected, so that it can be copied by hand.
      () => getSelection()?.selectAllChildren(button.parentElement?.querySelector('code') ?? button),
    );
  };
  return html`<button type="button" class=${label === 'Copy' ? 'main' : nothing} @click=${copy}>${label}</button>`;
}
