/**
 * Completes Scalar's elements as they appear: it has editable fields without a state, buttons that show only an icon, references to
 * elements that it does not render, and a key that it calls "Value".
 */
export function completeElements(): void {
  new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
}

/** Opens the client of the route with this id when Scalar shows it. */
export function openClient(id: string): void {
  new MutationObserver((_changes, observer) => {
    const section = [...document.querySelectorAll('section')].find(section => section.id.endsWith(`/${id}`));
    const buttons = [...(section?.querySelectorAll('button') ?? [])];
    const button = buttons.find(({ textContent }) => textContent.includes('Test Request'));
    if (!button) return;
    observer.disconnect();
    button.click();
  }).observe(document.body, { childList: true, subtree: true });
}

function complete(): void {
  for (const field of document.querySelectorAll('[role=combobox][contenteditable]:not([aria-expanded])')) {
    field.ariaExpanded = 'false';
    field.ariaLabel ??= field.getAttribute('data-placeholder');
  }
  for (const button of document.querySelectorAll('[class*=copy-button]:not([aria-label])')) {
    button.ariaLabel = 'Copy';
    button.removeAttribute('aria-controls');
  }
  for (const button of document.querySelectorAll('button[role=none]')) button.removeAttribute('role');
  for (const scroller of document.querySelectorAll('.cm-scroller[tabindex="-1"]'))
    scroller.setAttribute('tabindex', '0');
  for (const editor of document.querySelectorAll('.cm-content:not([aria-label])')) editor.ariaLabel = 'JSON';
  for (const node of [...document.querySelectorAll('label[for]')].flatMap(({ childNodes }) => [...childNodes]))
    if (node instanceof Text && node.data.trim() === 'Value') node.data = 'Your key';
  for (const input of document.querySelectorAll('input.scalar-password-input')) input.removeAttribute('placeholder');
}
