import { html, nothing, type TemplateResult } from 'lit-html';
import type { Line } from './lines.ts';

/** Renders what to prepare: a line for each item and each modifier, and every note. */
export function renderLines(lines: readonly Line[]): TemplateResult {
  return html`<ul class="lines">${lines.map(renderLine)}</ul>`;
}

function renderLine({ quantity, name, note, modifiers }: Line): TemplateResult {
  return html`
    <li>
      <b>${quantity}</b>
      <div>
        <bdi>${name}</bdi>
        ${renderModifiers(modifiers)}
        ${renderNote(note)}
      </div>
    </li>`;
}

function renderModifiers(modifiers: readonly Line[]): TemplateResult | typeof nothing {
  if (modifiers.length === 0) return nothing;
  return html`<ul>${modifiers.map(
    ({ quantity, name, note, modifiers: below }) => html`
      <li>
        ${quantity > 1 ? html`${quantity} × ` : nothing}<bdi>${name}</bdi>
        ${renderModifiers(below)}
        ${renderNote(note)}
      </li>`,
  )}</ul>`;
}

/** Renders a text of the guest, which the kitchen must not miss. */
export function renderNote(text: string | null | undefined): TemplateResult | typeof nothing {
  return text ? html`<p class="note" dir="auto">${text}</p>` : nothing;
}
