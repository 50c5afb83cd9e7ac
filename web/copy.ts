import { readKey } from './key.ts';

/** The key for a command; none if it has characters that would end a quoted string in a shell. */
export const safeKey = () => (/^[\w-]+$/.test(readKey()) ? readKey() : 'KEY');

/** What is shown instead of the key. */
export const hiddenKey = '•'.repeat(12);

interface CopySource {
  /** The text to copy, with the key. */
  readonly text: () => string;
  /** Shows that text and returns its element, from which it can be copied by hand. */
  readonly reveal: () => Element;
}

/** Creates a button that copies a text. */
export function createCopyButton({ text, reveal }: CopySource): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = 'Copied';
    } catch {
      // Browsers deny the clipboard to pages from another machine without TLS.
      getSelection()?.selectAllChildren(reveal());
      button.textContent = 'Selected: press Ctrl+C';
    }
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  return button;
}
