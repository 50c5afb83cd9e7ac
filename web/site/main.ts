import { fillExamples } from '../examples.ts';
import { mountFrame } from '../frame/main.ts';
import { reloadIfKeyChanged, removeOldCopies } from '../key.ts';
import { createKeyForm } from '../key-form.ts';

/** The script of all pages of text: `/`, the references, the guides, and the page that is not found. */

/** The URL of `/`: this script is at web/site/main.ts. */
const root = new URL('../../', import.meta.url);

removeOldCopies();
reloadIfKeyChanged();
mountFrame();
const showKey = fillExamples(root);
document.querySelector('#key-form')?.append(createKeyForm({ onChange: showKey, isLive: true }).form);
const database = document.querySelector('#database');
if (database) showReadiness(database);

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
