import { readKey, rememberKey } from '../key.ts';
import { copyButton } from './copy.ts';

const base = new URL('.', location.href).href.replace(/\/$/, '');
const examples = [...document.querySelectorAll('pre')].map(block => ({ block, template: block.textContent }));

function fillExamples(key: string): void {
  // What the shell would take for the end of the text never gets into a command that somebody copies.
  const shown = /^[\w-]+$/.test(key) ? key : 'KEY';
  for (const { block, template } of examples) {
    block.textContent = template.replaceAll('ORIGIN', base).replaceAll('KEY', shown);
  }
}

async function showDatabase(place: Element): Promise<void> {
  try {
    const response = await fetch('health/ready', { cache: 'no-store' });
    const { status, reason } = (await response.json()) as { readonly status: string; readonly reason?: string };
    place.textContent = reason ? `${status}: ${reason}` : status;
    place.classList.toggle('bad', !response.ok);
    place.classList.toggle('good', response.ok);
  } catch {
    place.textContent = 'unknown: this server does not answer';
    place.classList.add('bad');
  }
}

const field = document.querySelector<HTMLInputElement>('#key');
const database = document.querySelector('#database');
fillExamples(readKey());
for (const { block } of examples) block.parentElement?.querySelector('figcaption')?.append(copyButton(block));
if (field) {
  field.value = readKey();
  field.addEventListener('input', () => {
    rememberKey(field.value.trim());
    fillExamples(field.value.trim());
  });
  field.form?.addEventListener('submit', event => event.preventDefault());
}
if (database) await showDatabase(database);
