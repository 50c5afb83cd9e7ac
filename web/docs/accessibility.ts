/**
 * Completes the roles and names of Scalar's elements as they appear: it has editable fields without a state, buttons that show
 * only an icon, and references to elements that it does not render.
 */
export function completeAccessibility(): void {
  new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
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
}
