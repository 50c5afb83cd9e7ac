import { html, type TemplateResult } from 'lit-html';

/** Renders a secret that cannot be shown again, until the user has stored it. */
export function renderSecret(label: string, secret: string, done: () => void): TemplateResult {
  const copy = ({ currentTarget }: Event) => {
    const button = currentTarget as HTMLButtonElement;
    navigator.clipboard.writeText(secret).then(
      () => button.replaceChildren('Copied'),
      // Without the permission, or over http: it is selected, so that it can be copied by hand.
      () => getSelection()?.selectAllChildren(button.parentElement?.querySelector('code') ?? button),
    );
  };
  return html`
    <div class="panel secret" role="alert">
      <p><strong>${label}</strong> It is not stored, and cannot be shown again.</p>
      <p class="line"><code>${secret}</code> <button type="button" class="main" @click=${copy}>Copy</button>
        <button type="button" @click=${done}>Done</button></p>
    </div>`;
}
