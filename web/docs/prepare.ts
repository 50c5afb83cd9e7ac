import { find } from '../element.ts';
import { readKey, removeOldCopies } from '../key.ts';
import { loadDocument } from './document.ts';

// Scalar's script would report where it logs its version, and where its validator, Zod, tries `eval`, which the policy of the
// page forbids. To find the line, Chromium parses the whole script of 4 MB again, which takes 0.35 s.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
console.info = () => {};

removeOldCopies();
find('#note', HTMLElement).textContent = 'Loading samples and the client …';

/** The OpenAPI document, requested while the browser still loads Scalar. */
export const loading = loadDocument(readKey());
// Handled in `main.ts`, which runs only after Scalar's script.
loading.catch(() => {});
