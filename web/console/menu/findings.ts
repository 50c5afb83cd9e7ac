import { html, type TemplateResult } from 'lit-html';
import type { Place } from './posted.ts';

/** An error in the text of a configuration. */
export interface Finding extends Place {
  readonly message: string;
  /** Empty if the text is no JSON. */
  readonly path: string;
}

/** Characters that are shown around a place, at most: a text may have one long line. */
const maxAround = 60;
const maxMarked = 80;

/** Renders every error beside its place in the text; a click selects it there, where the text is shown. */
export function renderFindings(findings: readonly Finding[], text: string, isShown: boolean): TemplateResult {
  return html`<ol class="findings" aria-label="Errors">${findings.map(finding => renderFinding(finding, text, isShown))}</ol>`;
}

function renderFinding(finding: Finding, text: string, isShown: boolean): TemplateResult {
  const { message, path, line, start, end } = finding;
  const before = text
    .slice(Math.max(0, start - maxAround), start)
    .split('\n')
    .at(-1);
  const marked = text.slice(start, Math.min(end, start + maxMarked)).split('\n')[0];
  const rest = text.slice(start + (marked?.length ?? 0), end + maxAround).split('\n')[0];
  return html`
    <li>
      <button type="button" ?disabled=${!isShown} @click=${() => select(start, end)}>line ${line}${path ? html` · ${path}` : ''}</button>
      <pre dir="ltr">${before}<mark>${marked || ' '}</mark>${rest}</pre>
      <p>${message}</p>
    </li>`;
}

/** Selects a part of the text, and scrolls to it: a text area does so when it gets the focus. */
function select(start: number, end: number): void {
  const area = document.getElementById('posted');
  if (!(area instanceof HTMLTextAreaElement)) return;
  area.blur();
  area.setSelectionRange(start, start);
  area.focus();
  const line = area.value.slice(0, start).split('\n').length;
  area.scrollTop = Math.max(0, (line - 4) * Number.parseFloat(getComputedStyle(area).lineHeight));
  area.setSelectionRange(start, end);
}
