import { html, nothing, type TemplateResult } from 'lit-html';

/** Renders the errors of a field, which start with its name, below it. */
export function errorOf(errors: readonly string[], field: string): TemplateResult | typeof nothing {
  const own = errors.filter(error => error.startsWith(`${field}: `)).map(error => error.slice(field.length + 2));
  return own.length === 0 ? nothing : html`<span class="field-error" role="alert">${own.join(' ')}</span>`;
}

/** The errors that belong to none of these fields. */
export const errorsBeside = (errors: readonly string[], fields: readonly string[]): readonly string[] =>
  errors.filter(error => !fields.some(field => error.startsWith(`${field}: `)));
