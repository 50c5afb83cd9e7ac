import { find } from '../element.ts';
import { fillExamples } from '../examples.ts';
import { reloadIfKeyChanged, removeOldCopies } from '../key.ts';
import { createKeyForm } from '../key-form.ts';

removeOldCopies();
reloadIfKeyChanged();
find('#key-form', HTMLElement).append(
  createKeyForm({ onChange: fillExamples(new URL('../../', import.meta.url)), isLive: true }).form,
);
