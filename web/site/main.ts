import { fillExamples } from '../examples.ts';
import { mountFrame } from '../frame/main.ts';
import { readKey, reloadIfKeyChanged, removeOldCopies, takeKeyOfAddress } from '../key.ts';
import { createKeyForm } from '../key-form.ts';

/** The script of all pages of text: `/`, the references, the guides, and the page that is not found. */

/** The URL of `/`: this script is at web/site/main.ts. */
const root = new URL('../../', import.meta.url);

removeOldCopies();
const steps = document.querySelector<HTMLElement>('#first-steps');
// The first start prints a link to `/` with a key.
if (steps) takeKeyOfAddress();
reloadIfKeyChanged();
mountFrame();
const showKey = fillExamples(root);
const onChange = (isShown: boolean) => {
  showKey(isShown);
  if (steps) steps.hidden = readKey() === '';
};
document.querySelector('#key-form')?.append(createKeyForm({ onChange, isLive: true }).form);
onChange(false);
document.querySelector('#place')?.addEventListener('click', async () => {
  (await import('./landing.ts')).placeTestOrder();
});
const database = document.querySelector('#database');
if (database) showReadiness(database);

addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('button.try') : null;
  if (button) (await import('../docs/try.ts')).toggleForm(button, root);
});

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
