import { find } from '../element.ts';
import { readKey, removeOldCopies } from '../key.ts';
import { loadDocument } from './document.ts';

removeOldCopies();
find('#note', HTMLElement).textContent = 'Loading samples and the client …';

/** The OpenAPI document, requested while the browser still loads Scalar. */
export const loading = loadDocument(readKey());
// Handled in `main.ts`, which runs only after Scalar's script.
loading.catch(() => {});
