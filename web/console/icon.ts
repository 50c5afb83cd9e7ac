import { html, type TemplateResult } from 'lit-html';
import type { IconName } from '../icon-names.ts';

/** An icon of the set, beside a text that says what it means. */
export const icon = (name: IconName): TemplateResult =>
  html`<svg class="icon" aria-hidden="true"><use href="web/icons.svg#${name}"></use></svg>`;
