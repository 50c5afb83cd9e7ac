import { createCopyButton, hiddenKey, safeKey } from '../copy.ts';
import { find } from '../element.ts';
import { readKey, reloadIfKeyChanged, removeOldCopies, saveKey } from '../key.ts';

const baseUrl = new URL('.', location.href).href.replace(/\/$/, '');
const keyInput = find('#key', HTMLInputElement);
const showButton = find('#show', HTMLButtonElement);
const examples = [...document.querySelectorAll('pre')].map(block => ({ block, template: block.textContent }));
type Example = (typeof examples)[number];

const commandOf = ({ template }: Example, key: string) => template.replaceAll('ORIGIN', baseUrl).replaceAll('KEY', key);

/** Shows the key in the field and in the examples, or hides it in both. */
function showKey(isShown: boolean): void {
  keyInput.type = isShown ? 'text' : 'password';
  showButton.ariaPressed = String(isShown);
  const shown = isShown || safeKey() === 'KEY' ? safeKey() : hiddenKey;
  for (const example of examples) example.block.textContent = commandOf(example, shown);
}

async function showReadiness(output: Element): Promise<void> {
  try {
    const response = await fetch('health/ready', { cache: 'no-store' });
    const { status, reason } = (await response.json()) as { readonly status: string; readonly reason?: string };
    output.textContent = reason ? `${status}: ${reason}` : status;
    output.classList.toggle('bad', !response.ok);
    output.classList.toggle('good', response.ok);
  } catch {
    output.textContent = 'unknown: this server does not respond';
    output.classList.add('bad');
  }
}

removeOldCopies();
reloadIfKeyChanged();
keyInput.value = readKey();
showKey(false);
for (const example of examples) {
  const button = createCopyButton({
    text: () => commandOf(example, safeKey()),
    reveal() {
      showKey(true);
      return example.block;
    },
  });
  example.block.parentElement?.querySelector('figcaption')?.append(button);
}
keyInput.addEventListener('input', () => {
  saveKey(keyInput.value.trim());
  showKey(keyInput.type === 'text');
});
keyInput.form?.addEventListener('submit', event => event.preventDefault());
showButton.addEventListener('click', () => showKey(keyInput.type === 'password'));
find('#forget', HTMLButtonElement).addEventListener('click', () => {
  saveKey('');
  keyInput.value = '';
  showKey(false);
  keyInput.focus();
});
await showReadiness(find('#database', HTMLElement));
