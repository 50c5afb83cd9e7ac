import { createCopyButton, hiddenKey, safeKey } from './copy.ts';
import { element } from './element.ts';

/** The address in the examples, where a first start serves. */
const address = 'http://127.0.0.1:4000';

/**
 * Puts the address of this server and the key of the tab into the examples, and adds buttons that copy them. Returns a function that
 * shows the key in them, or dots instead, as at first.
 */
export function fillExamples(root: URL): (isKeyShown: boolean) => void {
  const origin = root.href.replace(/\/$/, '');
  const fill = (template: string, key: string) => template.replaceAll(address, origin).replace(/\bKEY\b/g, key);
  const blocks = [...document.querySelectorAll('main pre')];
  const parts = blocks.flatMap(textsIn).map(node => ({ node, template: node.data }));
  const show = (isKeyShown: boolean) => {
    const key = isKeyShown || safeKey() === 'KEY' ? safeKey() : hiddenKey;
    for (const { node, template } of parts) node.data = fill(template, key);
  };
  for (const block of blocks) {
    const template = block.textContent.trimEnd();
    const button = createCopyButton({
      text: () => fill(template, safeKey()),
      reveal() {
        show(true);
        return block;
      },
    });
    const frame = element('div', { class: 'example' });
    block.replaceWith(frame);
    frame.append(block, button);
  }
  show(false);
  return show;
}

/** The text nodes of a block with an address or a key; its elements are its colours. */
function textsIn(block: Element): Text[] {
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node instanceof Text && (node.data.includes(address) || node.data.includes('KEY'))) nodes.push(node);
  }
  return nodes;
}
