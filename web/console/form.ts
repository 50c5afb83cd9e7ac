import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from './app.ts';
import { type FieldErrors, fieldErrors, unreadableIn } from './fields.ts';
import { renderSecret, revealSecret, type Secret } from './secret.ts';

/** What a form for something new needs. The browser keeps what was typed until it is created. */
export interface FormOptions<Request> {
  /** Chooses the stores and merchants. */
  readonly picker: { readonly view: () => TemplateResult; readonly check: () => boolean; readonly clear: () => void };
  readonly isSending: boolean;
  readonly errors: FieldErrors;
  readonly submit: (request: Request, form: HTMLFormElement) => void;
}

/** What is asked before something that has an id is changed for good. */
interface Question {
  readonly id: string;
  readonly verb: string;
  readonly warning: string;
  readonly act: () => Promise<void>;
}

/** Creates the state of a form for something with a secret, which is shown once; `create` resolves to undefined if nothing was created. */
export function createForm<Request>(
  app: App,
  picker: FormOptions<Request>['picker'],
  create: (request: Request) => Promise<Secret | undefined>,
) {
  let isSending = false;
  let errors: FieldErrors = {};
  let secret: Secret | undefined;
  let question: Question | undefined;

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
    errors = unreadableIn(form);
    // All stores need no choice.
    const isChosen = new FormData(form).get('all') === 'on' || picker.check();
    if (!isChosen || Object.keys(errors).length > 0) return app.update();
    const send = async () => {
      const created = await create(request);
      if (!created) return;
      secret = created;
      form.reset();
      picker.clear();
    };
    await run(send, error => {
      errors = fieldErrors(error);
    });
    if (secret) revealSecret();
  }

  function showSecret(next: Secret | undefined): void {
    secret = next;
    app.update();
  }

  function ask(next?: Question): void {
    question = next;
    app.update();
    queueMicrotask(() => queueMicrotask(() => document.getElementById('confirm')?.focus()));
  }

  function renderQuestion(of: string): TemplateResult | undefined {
    if (question?.id !== of) return undefined;
    const { verb, warning, act } = question;
    const confirm = () => {
      ask();
      return run(act);
    };
    return html`
      <div class="line" role="alert">
        <p>${warning}</p>
        <button type="button" id="confirm" class="danger" ?disabled=${isSending} @click=${confirm}>Yes, ${verb} it</button>
        <button type="button" class="quiet" @click=${() => ask()}>No</button>
      </div>`;
  }

  return {
    run,
    ask,
    /** Renders what was asked of something, in place of its buttons. */
    renderQuestion,
    showSecret,
    isSending: () => isSending,
    /** Renders the form, below the secret that it has created last. */
    view: (renderForm: (options: FormOptions<Request>) => TemplateResult): TemplateResult => html`
      ${secret ? renderSecret(secret, () => showSecret(undefined)) : nothing}
      ${renderForm({ picker, isSending, errors, submit })}`,
  };
}
