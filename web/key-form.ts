import { element, find } from './element.ts';
import { readKey, saveKey } from './key.ts';

/**
 * Fills the form of the API key, `#key-form`, and saves what is typed. `show` is called at first and with every change, with whether
 * the key is shown.
 */
export function fillKeyForm(show: (isShown: boolean) => void): void {
  const input = element('input', { id: 'key', type: 'password', spellcheck: 'false', autocomplete: 'off' });
  const showButton = element('button', { type: 'button' }, 'Show');
  const forgetButton = element('button', { type: 'button' }, 'Forget the key');
  const showKey = (isShown: boolean) => {
    input.type = isShown ? 'text' : 'password';
    showButton.ariaPressed = String(isShown);
    show(isShown);
  };
  const form = find('#key-form', HTMLFormElement);
  form.append(element('label', { for: 'key' }, 'Your key'), input, showButton, forgetButton);
  input.setAttribute('aria-describedby', 'key-note');
  input.value = readKey();
  showKey(false);
  input.addEventListener('input', () => {
    saveKey(input.value.trim());
    showKey(input.type === 'text');
  });
  form.addEventListener('submit', event => event.preventDefault());
  showButton.addEventListener('click', () => showKey(input.type === 'password'));
  forgetButton.addEventListener('click', () => {
    saveKey('');
    input.value = '';
    showKey(false);
    input.focus();
  });
}
