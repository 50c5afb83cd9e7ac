import { readKey, saveKey } from '../key.ts';

const baseUrl = new URL('.', location.href).href.replace(/\/$/, '');
const examples = [...document.querySelectorAll('pre')].map(block => ({ block, template: block.textContent }));

function fillExamples(key: string): void {
  // Characters that end a quoted string in a shell must not get into a command that is copied.
  const safeKey = /^[\w-]+$/.test(key) ? key : 'KEY';
  for (const { block, template } of examples) {
    block.textContent = template.replaceAll('ORIGIN', baseUrl).replaceAll('KEY', safeKey);
  }
}

function createCopyButton(source: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    button.textContent = (await copyText(source)) ? 'Copied' : 'Selected: press Ctrl+C';
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  return button;
}

async function copyText(source: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    // Browsers deny the clipboard to pages from another machine without TLS.
    getSelection()?.selectAllChildren(source);
    return false;
  }
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

const keyInput = document.querySelector<HTMLInputElement>('#key');
const database = document.querySelector('#database');
fillExamples(readKey());
for (const { block } of examples) block.parentElement?.querySelector('figcaption')?.append(createCopyButton(block));
if (keyInput) {
  keyInput.value = readKey();
  keyInput.addEventListener('input', () => {
    saveKey(keyInput.value.trim());
    fillExamples(keyInput.value.trim());
  });
  keyInput.form?.addEventListener('submit', event => event.preventDefault());
}
if (database) await showReadiness(database);
