import { find } from '../element.ts';
import { fillExamples } from '../examples.ts';
import { reloadIfKeyChanged, removeOldCopies } from '../key.ts';
import { createKeyForm } from '../key-form.ts';

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
find('#key-form', HTMLElement).append(
  createKeyForm({ onChange: fillExamples(new URL('.', location.href)), isLive: true }).form,
);
await showReadiness(find('#database', HTMLElement));
