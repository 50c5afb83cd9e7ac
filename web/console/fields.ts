import { html, nothing, type TemplateResult } from 'lit-html';
import { InvalidInput, messageOf } from '../errors.ts';

/** Listens to the submission of a form, which `read` converts to a request. */
export const onSubmit =
  <Request>(read: (form: FormData) => Request, submit: (request: Request, form: HTMLFormElement) => void) =>
  (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    submit(read(new FormData(form)), form);
  };

/** The text of a field, without spaces around it. */
export const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

/** Messages by the path of their field, e.g. `reason` or `hours.0.date`; those of no field have an empty one. */
export type FieldErrors = Readonly<Record<string, string>>;

export function fieldErrors(error: unknown): FieldErrors {
  if (!(error instanceof InvalidInput) || error.errors.length === 0) return { '': messageOf(error) };
  return Object.fromEntries(
    error.errors.map(({ path, message }) => [path.filter(key => key !== 'input').join('.'), message]),
  );
}

/** Errors of the fields whose text the browser cannot read, e.g. half a date: their value is empty. */
export const unreadableIn = (form: HTMLFormElement): FieldErrors =>
  Object.fromEntries(
    [...form.querySelectorAll<HTMLInputElement>('input:invalid')]
      .filter(({ validity }) => validity.badInput)
      .map(({ name }) => [name, 'This is not complete.']),
  );

/** Renders the error of a field, below it. */
export const errorAt = (errors: FieldErrors, path: string): TemplateResult | typeof nothing =>
  errors[path] === undefined ? nothing : html`<span class="field-error" role="alert">${errors[path]}</span>`;

/** Renders the errors that belong to none of these fields. */
export function errorsBeside(errors: FieldErrors, fields: readonly string[]): TemplateResult | typeof nothing {
  const others = Object.entries(errors).filter(([path]) => !fields.includes(path));
  if (others.length === 0) return nothing;
  return html`<div class="bad" role="alert">${others.map(([path, message]) => html`<p>${path && `${path}: `}${message}</p>`)}</div>`;
}
