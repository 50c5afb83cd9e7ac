import { element } from './element.ts';
import { readKey, saveKey } from './key.ts';

interface KeyFormOptions {
  /** Called when a key was entered or forgotten, and when it is shown or hidden. */
  readonly onChange: (isShown: boolean) => void;
  /** Whether a key counts as it is typed, and stays in the field, instead of being taken by a button. */
  readonly isLive?: boolean;
  /** The id of the element that explains it. */
  readonly note?: string;
}

/** Creates the form of the API key, which all pages of the tab share. */
export function createKeyForm({ onChange, isLive = false, note = 'key-note' }: KeyFormOptions) {
  const input = element('input', {
    id: 'key',
    type: 'password',
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-describedby': note,
  });
  // A page may have the texts in other languages, by these names.
  const label = element('label', { for: 'key', 'data-text': 'key' }, 'Your key');
  const revealButton = element('button', { type: 'button', 'aria-pressed': 'false', 'data-text': 'showKey' }, 'Show');
  const useButton = element('button', { class: 'main', 'data-text': 'useKey' }, 'Use');
  const forgetButton = element('button', { type: 'button', 'data-text': 'forgetKey' }, 'Forget the key');
  const missing = element(
    'span',
    { class: 'field-error', role: 'alert', 'data-text': 'noKey', hidden: '' },
    'Enter a key.',
  );
  const entry = [label, input, revealButton, ...(isLive ? [] : [useButton])];
  const form = element('form', { class: 'key-form', autocomplete: 'off' }, ...entry, forgetButton, missing);

  const reveal = (isShown: boolean) => {
    input.type = isShown ? 'text' : 'password';
    revealButton.ariaPressed = String(isShown);
  };
  const change = () => onChange(input.type === 'text');
  const save = () => {
    saveKey(input.value.trim());
    change();
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    missing.hidden = isLive || input.value.trim() !== '';
    if (!missing.hidden) input.focus();
    else if (!isLive) save();
  });
  revealButton.addEventListener('click', () => {
    reveal(input.type === 'password');
    if (isLive) change();
  });
  forgetButton.addEventListener('click', () => {
    input.value = '';
    reveal(false);
    save();
    input.focus();
  });
  if (isLive) {
    input.value = readKey();
    input.addEventListener('input', save);
  }

  /** Shows the field, or, if there is a key, the button that forgets it. A key of the URL cannot be forgotten. */
  const show = (hasKey: boolean, { isOfUrl } = { isOfUrl: false }) => {
    for (const part of entry) part.hidden = hasKey;
    forgetButton.hidden = !hasKey || isOfUrl;
  };
  return {
    form,
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
