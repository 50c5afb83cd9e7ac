import { fillExamples } from '../examples.ts';
import { reloadIfKeyChanged, removeOldCopies } from '../key.ts';
import { fillKeyForm } from '../key-form.ts';

removeOldCopies();
reloadIfKeyChanged();
fillKeyForm(fillExamples(new URL('../../', import.meta.url)));
