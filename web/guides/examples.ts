import { createCopyButton, hiddenKey, safeKey } from '../copy.ts';
import { element } from '../element.ts';

/** The address in the guides, where a first start serves. */
const address = 'http://127.0.0.1:4000';

/**
 * Puts the address of this server and the key of the tab into the examples, and adds buttons that copy them. The key is shown
 * as dots; it is copied, and goes nowhere else.
 */
export function fillExamples(root: URL): void {
  const origin = root.href.replace(/\/$/, '');
  for (const block of document.querySelectorAll('main pre')) {
    const template = block.textContent.trimEnd().replaceAll(address, origin);
    const withKey = (key: string) => template.replace(/\bKEY\b/g, key);
    const show = (key: string) => {
      block.textContent = withKey(key);
    };
    show(safeKey() === 'KEY' ? 'KEY' : hiddenKey);
    const button = createCopyButton({
      text: () => withKey(safeKey()),
      reveal() {
        show(safeKey());
        return block;
      },
    });
    const frame = element('div', { class: 'example' });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
