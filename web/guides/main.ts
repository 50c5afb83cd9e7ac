import { fillExamples } from '../examples.ts';
import { reloadIfKeyChanged, removeOldCopies } from '../key.ts';
import { createSearch } from './search.ts';

/** The URL of `/`: this script is at web/guides/main.ts. */
const root = new URL('../../', import.meta.url);

removeOldCopies();
reloadIfKeyChanged();
fillExamples(root);
createSearch(root);
