import { find } from '../element.ts';
import { readKey, saveKey } from '../key.ts';

/** Creates the form of the API key; `onChange` is called when one is entered or forgotten. */
export function createKeyForm(onChange: () => void) {
  const form = find('#key-form', HTMLFormElement);
  const entry = find('#key-entry', HTMLElement);
  const input = find('#key', HTMLInputElement);
  const revealButton = find('#reveal', HTMLButtonElement);
  const forgetButton = find('#forget', HTMLButtonElement);

  /** A key of the URL cannot be forgotten. */
  function show(hasKey: boolean, { isOfUrl } = { isOfUrl: false }): void {
    entry.hidden = hasKey;
    forgetButton.hidden = !hasKey || isOfUrl;
  }

  function reveal(revealed: boolean): void {
    input.type = revealed ? 'text' : 'password';
    revealButton.setAttribute('aria-pressed', String(revealed));
  }

  form.addEventListener('submit', event => {
    event.preventDefault();
    saveKey(input.value.trim());
    onChange();
  });
  revealButton.addEventListener('click', () => reveal(input.type === 'password'));
  forgetButton.addEventListener('click', () => {
    saveKey('');
    input.value = '';
    onChange();
    input.focus();
  });

  return {
    show,
    accept(): void {
      input.value = '';
      input.removeAttribute('aria-invalid');
      reveal(false);
    },
    /** Forgets the key, but leaves it in the field to be corrected. */
    reject(): void {
      input.value = readKey();
      input.setAttribute('aria-invalid', 'true');
      saveKey('');
      show(false);
      input.focus();
    },
  };
}
