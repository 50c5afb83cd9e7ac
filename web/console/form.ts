import { html, nothing, type TemplateResult } from 'lit-html';

/** What a form for something new needs. The browser keeps what was typed until it is created. */
export interface FormOptions<Request> {
  /** Chooses the stores and merchants. */
  readonly picker: { readonly view: () => TemplateResult };
  readonly isSending: boolean;
  readonly errors: readonly string[];
  readonly submit: (request: Request, form: HTMLFormElement) => void;
}

/** Listens to the submission of a form, which `read` converts to a request. */
export const onSubmit =
  <Request>(read: (form: FormData) => Request, submit: FormOptions<Request>['submit']) =>
  (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    submit(read(new FormData(form)), form);
  };

/** The text of a field, without spaces around it. */
export const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

export const renderErrors = (errors: readonly string[]): TemplateResult | typeof nothing =>
  errors.length > 0 ? html`<ul class="bad" role="alert">${errors.map(error => html`<li>${error}</li>`)}</ul>` : nothing;
