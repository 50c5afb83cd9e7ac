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
    const parts = textsIn(block).map(node => ({ node, template: node.data.replaceAll(address, origin) }));
    const withKey = (template: string, key: string) => template.replace(/\bKEY\b/g, key);
    const show = (key: string) => {
      for (const { node, template } of parts) node.data = withKey(template, key);
    };
    show(safeKey() === 'KEY' ? 'KEY' : hiddenKey);
    const button = createCopyButton({
      text: () => withKey(parts.map(({ template }) => template).join(''), safeKey()).trimEnd(),
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

/** The text nodes of a block, whose elements are its colours. */
function textsIn(block: Element): Text[] {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) nodes.push(walker.currentNode);
  return nodes;
}
