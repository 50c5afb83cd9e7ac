import { html, nothing, type TemplateResult } from 'lit-html';
import { describeErrors, InvalidInput, messageOf } from '../errors.ts';
import type { App } from './app.ts';
import { renderSecret, revealSecret, type Secret } from './secret.ts';

/** What a form for something new needs. The browser keeps what was typed until it is created. */
export interface FormOptions<Request> {
  /** Chooses the stores and merchants. */
  readonly picker: { readonly view: () => TemplateResult; readonly check: () => boolean; readonly clear: () => void };
  readonly isSending: boolean;
  readonly errors: readonly string[];
  readonly submit: (request: Request, form: HTMLFormElement) => void;
}

/** Creates the state of a form for something with a secret, which is shown once; `create` resolves to undefined if nothing was created. */
export function createForm<Request>(
  app: App,
  picker: FormOptions<Request>['picker'],
  create: (request: Request) => Promise<Secret | undefined>,
) {
  let isSending = false;
  let errors: readonly string[] = [];
  let secret: Secret | undefined;

  /** Runs an action, during which no other one can be started; shows its error. */
  async function run(action: () => Promise<void>, onError = app.fail): Promise<void> {
    isSending = true;
    app.update();
    try {
      await action();
    } catch (error) {
      onError(error);
    }
    isSending = false;
    app.update();
  }

  async function submit(request: Request, form: HTMLFormElement): Promise<void> {
    errors = [];
    // All stores need no choice.
    if (new FormData(form).get('all') !== 'on' && !picker.check()) return;
    const send = async () => {
      const created = await create(request);
      if (!created) return;
      secret = created;
      form.reset();
      picker.clear();
    };
    await run(send, error => {
      errors = describeErrors(error);
    });
    if (secret) revealSecret();
  }

  function showSecret(next: Secret | undefined): void {
    secret = next;
    app.update();
  }

  return {
    run,
    showSecret,
    isSending: () => isSending,
    /** Renders the form, below the secret that it has created last. */
    view: (renderForm: (options: FormOptions<Request>) => TemplateResult): TemplateResult => html`
      ${secret ? renderSecret(secret, () => showSecret(undefined)) : nothing}
      ${renderForm({ picker, isSending, errors, submit })}`,
  };
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

/** Messages by the path of their field, e.g. `reason` or `hours.0.date`; those of no field have an empty one. */
export type FieldErrors = Readonly<Record<string, string>>;

export function fieldErrors(error: unknown): FieldErrors {
  if (!(error instanceof InvalidInput) || error.errors.length === 0) return { '': messageOf(error) };
  return Object.fromEntries(
    error.errors.map(({ path, message }) => [path.filter(key => key !== 'input').join('.'), message]),
  );
}

/** Renders the error of a field, below it. */
export const errorAt = (errors: FieldErrors, path: string): TemplateResult | typeof nothing =>
  errors[path] === undefined ? nothing : html`<p class="bad" role="alert">${errors[path]}</p>`;

export const renderErrors = (errors: readonly string[]): TemplateResult | typeof nothing =>
  errors.length > 0 ? html`<ul class="bad" role="alert">${errors.map(error => html`<li>${error}</li>`)}</ul>` : nothing;
